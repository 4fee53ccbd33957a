// gpuminer-bench-bare ISA VERSIONS SECONDS: the kernel and nothing around it, for whole_program.py to compare
// `gpuminer mine` with.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "bench/subject.hpp"

namespace {

using namespace gpuminer;

int run(const std::string& name, unsigned versions, double seconds) {
    const cpu::Isa* const isa = cpu::find_isa(name);
    if (isa == nullptr) throw std::invalid_argument("there is no instruction set '" + name + "'");
    if (!cpu::usable(*isa, cpu::detect_features())) throw std::invalid_argument(isa->missing);
    if (versions < 1 || versions > 65536) throw std::invalid_argument("the number of versions is 1 to 65536");
    if (!bench::finds_the_block(*isa, versions)) throw std::runtime_error(name + " does not find block 100000");

    constexpr std::uint64_t kHashesPerCall = 1 << 18;  // some milliseconds: the clock is read rarely
    const std::uint64_t nonces = std::max<std::uint64_t>(kHashesPerCall / versions, 16);
    const ScanJob job(bench::block_100000().bytes, bench::versions_of_block(versions), 0);
    std::array<Candidate, 1> none;
    std::uint64_t hashes = 0;
    std::chrono::duration<double> passed{};
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t first = 0; passed.count() < seconds; first += static_cast<std::uint32_t>(nonces)) {
        (void)cpu::scan(*isa, job, {first & 0x7fffffff, nonces}, none);
        hashes += nonces * versions;
        passed = std::chrono::steady_clock::now() - start;
    }
    std::printf("{\"isa\": \"%s\", \"versions\": %u, \"hashes\": %llu, \"seconds\": %.6f, \"hash_rate\": %.1f}\n",
                isa->name, versions, static_cast<unsigned long long>(hashes), passed.count(),
                static_cast<double>(hashes) / passed.count());
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw std::invalid_argument("usage: gpuminer-bench-bare ISA VERSIONS SECONDS");
        return run(argv[1], static_cast<unsigned>(std::stoul(argv[2])), std::stod(argv[3]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-bare: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
