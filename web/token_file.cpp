#include "web/token_file.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "host/errors.hpp"
#include "host/files/own_file.hpp"
#include "host/text/text.hpp"
#include "web/token_file_access.hpp"

namespace gpuminer::web {
namespace {

constexpr std::size_t kRandomBytes = 32, kShortestToken = 16;

std::string random_token() {
    std::array<unsigned char, kRandomBytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw InputError("--http-token-file: the system provides no random numbers");
    return to_hex(bytes);
}

/// The first line.
std::string token_in(const std::string& text, const std::filesystem::path& path) {
    const std::string_view line = trimmed(std::string_view(text).substr(0, text.find('\n')));
    const bool plain = std::ranges::all_of(line, [](char c) { return c > ' ' && c < 0x7f; });
    if (!plain || line.size() < kShortestToken || line.size() > kLongestToken)
        throw InputError(
            fmt::format("--http-token-file: expected {} to {} printable characters without blanks in the "
                        "first line of {}, got {}",
                        kShortestToken, kLongestToken, shown_path(path),
                        line.empty() ? "nothing"
                        : plain      ? fmt::format("{} of them", line.size())
                                     : "others"));
    return std::string(line);
}

}  // namespace

std::string read_or_make_token(const std::filesystem::path& path) {
    std::optional<std::string> text = read_token_file(path, false);
    if (!text) {
        text = random_token() + "\n";
        make_token_file(path, *text);
    }
    return token_in(*text, path);
}

std::string read_token(const std::filesystem::path& path) {
    const std::optional<std::string> text = read_token_file(path, true);
    if (!text) throw InputError(fmt::format("--http-token-file: there is no file {}", shown_path(path)));
    return token_in(*text, path);
}

}  // namespace gpuminer::web
