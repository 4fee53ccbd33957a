// gpuminer-bench-bare: the CPU's kernels without the host, as a program to time and to count the instructions of.
//   gpuminer-bench-bare ISA VERSIONS SECONDS          a search of that length, timed by whole_program.py beside
//                                                     `gpuminer mine`
//   gpuminer-bench-bare count search ISA VERSIONS N   a search of exactly N nonces, under instruction_counts.py's
//                                                     callgrind
//   gpuminer-bench-bare count sha256d64 ISA N         one batch of exactly N inputs of 64 bytes, likewise
//   gpuminer-bench-bare count messages ISA N          messages of N blocks each, as many as fill a vector, likewise
//   gpuminer-bench-bare count message ISA N           one message of N blocks by itself, likewise
// Every kernel is checked against OpenSSL before it is timed or counted.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/workloads/test_block.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/form_choice.hpp"
#include "host/block/checker.hpp"

namespace {

using namespace gpuminer;
using Arguments = std::span<const char* const>;

constexpr const char* kUsage =
    "usage: gpuminer-bench-bare ISA VERSIONS SECONDS\n"
    "       gpuminer-bench-bare count search ISA VERSIONS NONCES\n"
    "       gpuminer-bench-bare count sha256d64 ISA INPUTS\n"
    "       gpuminer-bench-bare count messages|message ISA BLOCKS";

unsigned parse_count(const std::string& text, unsigned long most) {
    const unsigned long value = std::stoul(text);
    if (value < 1 || value > most)
        throw std::invalid_argument("expected a number from 1 to " + std::to_string(most) + ", not " + text);
    return static_cast<unsigned>(value);
}

/// In its first form, which is the same on all machines.
const cpu::Isa& usable_isa(const std::string& name) {
    const cpu::Isa* const isa = cpu::find_isa(name);
    if (isa == nullptr) throw std::invalid_argument("there is no instruction set '" + name + "'");
    if (!cpu::usable(*isa, cpu::detect_features())) throw std::invalid_argument(isa->missing);
    return *isa;
}

/// A search of block 100000 in so many versions, for a target that no nonce meets.
class Search {
public:
    Search(const cpu::Isa& isa, const std::string& versions) : isa_(isa), versions_(parse_count(versions, 65536)) {
        if (!bench::finds_the_block(isa_, versions_))
            throw std::runtime_error(std::string(isa_.name) + " does not find block 100000");
    }
    /// Number of hashes.
    std::uint64_t scan(NonceRange range) {
        (void)cpu::scan(isa_, job_, range, none_);
        return range.count * versions_;
    }
    [[nodiscard]] const cpu::Isa& isa() const { return isa_; }
    [[nodiscard]] unsigned versions() const { return versions_; }

private:
    const cpu::Isa& isa_;
    const unsigned versions_;
    const Sha256dJob job_{bench::block_100000().bytes, bench::versions_of_block(versions_), 0};
    std::array<Candidate, 1> none_{};
};

void time_search(Search search, double seconds) {
    constexpr std::uint64_t kHashesPerCall = 1 << 18;  // some milliseconds: the clock is read rarely
    const std::uint64_t nonces = std::max<std::uint64_t>(kHashesPerCall / search.versions(), 16);
    std::uint64_t hashes = 0;
    std::chrono::duration<double> passed{};
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t first = 0; passed.count() < seconds; first += static_cast<std::uint32_t>(nonces)) {
        hashes += search.scan({first & 0x7fffffff, nonces});
        passed = std::chrono::steady_clock::now() - start;
    }
    std::printf("{\"isa\": \"%s\", \"versions\": %u, \"hashes\": %llu, \"seconds\": %.6f, \"hash_rate\": %.1f}\n",
                search.isa().name, search.versions(), static_cast<unsigned long long>(hashes), passed.count(),
                static_cast<double>(hashes) / passed.count());
}

/// The place of the last kernel, and so of the widest, that is `right`.
template <class Kernel, class Right>
std::size_t usable_kernel(std::span<const Kernel> kernels, const std::string& isa, Right right) {
    (void)usable_isa(isa);
    const auto kernel =
        std::find_if(kernels.rbegin(), kernels.rend(), [&](const Kernel& k) { return k.isa == isa && right(k); });
    if (kernel == kernels.rend()) throw std::invalid_argument("there is no such kernel for " + isa);
    if (!kernel->usable(cpu::detect_features())) throw std::invalid_argument(kernel->missing);
    return static_cast<std::size_t>(kernels.rend() - kernel) - 1;
}

constexpr std::size_t kMostInputs = 16384;  // memory for that many is there in any case, so that all else is the same

void hash_inputs(const cpu::BatchKernel& kernel, std::size_t inputs) {
    std::vector<std::uint8_t> in(kMostInputs * 64), out(kMostInputs * 32);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 7 + i / 64);
    cpu::run_batch(kernel, out.data(), in.data(), inputs);
    for (const std::size_t i : {std::size_t{0}, inputs / 2, inputs - 1}) {
        const Hash256 displayed = double_sha256(std::span(&in[i * 64], 64));
        if (!std::equal(displayed.bytes.rbegin(), displayed.bytes.rend(), &out[i * 32]))
            throw std::runtime_error(std::string(kernel.isa) + " computes a wrong hash");
    }
}

/// As many messages of so many blocks as a kernel takes at a time; they are the same bytes. First it hashes short ones,
/// which are compared.
void hash_blocks(std::size_t place, std::size_t blocks) {
    const cpu::MessageKernel& kernel = cpu::message_kernels()[place];
    const cpu::MessagePlan plan = cpu::plan_with(place);
    const std::vector<std::uint8_t> data(kMostInputs * 64, 7);
    std::vector<std::uint8_t> out(kernel.width * 32);
    const auto hash = [&](std::size_t size) {
        cpu::hash_messages(plan, out.data(), std::vector<Message>(kernel.width, {data.data(), size}));
    };
    constexpr std::size_t kShort = 300, kPadding = 9;
    hash(kShort);
    const Hash256 displayed = double_sha256(std::span(data).first(kShort));
    for (std::size_t i = 0; i < kernel.width; ++i) {
        if (!std::equal(displayed.bytes.rbegin(), displayed.bytes.rend(), &out[i * 32]))
            throw std::runtime_error(std::string(kernel.isa) + " computes a wrong hash");
    }
    hash(blocks * 64 - kPadding);
}

void run(Arguments arguments) {
    const auto is = [&](std::size_t i, const std::string& word) { return arguments[i] == word; };
    if (arguments.size() == 3) {
        const cpu::Isa& isa = cpu::fastest_form(usable_isa(arguments[0]).name);
        time_search({isa, arguments[1]}, std::stod(arguments[2]));
    } else if (arguments.size() == 5 && is(0, "count") && is(1, "search")) {
        (void)Search(usable_isa(arguments[2]), arguments[3]).scan({0, parse_count(arguments[4], 1UL << 31)});
    } else if (arguments.size() == 4 && is(0, "count") && is(1, "sha256d64")) {
        const auto any = [](const cpu::BatchKernel&) { return true; };
        const std::size_t place = usable_kernel(cpu::batch_kernels(), arguments[2], any);
        hash_inputs(cpu::batch_kernels()[place], parse_count(arguments[3], kMostInputs));
    } else if (arguments.size() == 4 && is(0, "count") && (is(1, "messages") || is(1, "message"))) {
        const auto right = [&](const cpu::MessageKernel& kernel) { return is(1, "messages") || kernel.width == 1; };
        hash_blocks(usable_kernel(cpu::message_kernels(), arguments[2], right), parse_count(arguments[3], kMostInputs));
    } else {
        throw std::invalid_argument(kUsage);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(Arguments(argv + 1, static_cast<std::size_t>(argc - 1)));
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-bare: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
