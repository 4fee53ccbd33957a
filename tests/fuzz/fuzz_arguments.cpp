// Fuzzer of command lines. Each is understood or refused with a plain sentence, and understood values lie within their
// bounds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/command_lines.hpp"

using namespace gpuminer;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

}  // namespace

/// Words, one a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (text.find("-c") == std::string::npos && text.find("--pass-f") == std::string::npos)  // no files
        fuzz::check_words(lines_of(text));
    return 0;
}
