// The fuzzers' entries in one program, without libFuzzer: replay_corpus TARGET FILE|FOLDER... gives each file to the
// target, as an input that once was new or wrong.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "gpuminer_fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

namespace fs = std::filesystem;
using Target = int (*)(const std::uint8_t*, std::size_t);

Target target_named(std::string_view wanted) {
#define FUZZ_TARGET(name) \
    if (wanted == #name) return fuzz_##name;
#include "gpuminer_fuzz_targets.inc"
#undef FUZZ_TARGET
    return nullptr;
}

/// In an order that is the same everywhere.
std::set<fs::path> files_of(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    return {fs::directory_iterator(path), {}};
}

void replay(Target target, const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw fs::filesystem_error("cannot read", path, std::make_error_code(std::errc::io_error));
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);  // the last line names the input that a crash is about
    // In memory of exactly that size, so that a read behind the input's end is seen: a string has a zero there.
    const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
    std::ranges::copy(bytes, exact.get());
    target(exact.get(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) try {
    const Target target = argc >= 3 ? target_named(argv[1]) : nullptr;
    if (target == nullptr) throw std::invalid_argument("expected replay_corpus TARGET FILE|FOLDER...");
    std::size_t count = 0;
    for (int i = 2; i < argc; ++i) {
        for (const fs::path& path : files_of(argv[i])) {
            replay(target, path);
            ++count;
        }
    }
    if (count == 0) throw std::invalid_argument(std::string("the target ") + argv[1] + " has no corpus");
} catch (const std::exception& error) {
    std::fprintf(stderr, "replay_corpus: %s\n", error.what());
    return 1;
}
