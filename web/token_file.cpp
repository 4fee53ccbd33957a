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

std::string existing_token(const std::filesystem::path& path, bool for_root) {
    const std::optional<std::string> text = read_token_file(path, for_root);
    if (!text) throw InputError(fmt::format("--http-token-file: there is no file {}", shown_path(path)));
    return token_in(*text, path);
}

}  // namespace

std::string read_or_make_token(const std::filesystem::path& path) {
    if (const std::optional<std::string> text = read_token_file(path, false)) return token_in(*text, path);
    make_token_file(path, random_token() + "\n");
    try {  // one that its file system does not protect is refused now, not at the next start
        return existing_token(path, false);
    } catch (const InputError&) {
        unlink_file(path);
        throw;
    }
}

std::string read_token(const std::filesystem::path& path) { return existing_token(path, true); }

}  // namespace gpuminer::web
