#include "web/token_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/journal/own_file.hpp"

namespace gpuminer::web {
namespace {

constexpr std::size_t kRandomBytes = 32, kShortestToken = 16, kLongestToken = 1024;

std::string random_token() {
    std::array<unsigned char, kRandomBytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw InputError("--http-token-file: expected random numbers from the system, got none");
    return to_hex(bytes);
}

}  // namespace

std::string read_or_make_token(const std::filesystem::path& path) {
    struct stat before {};
    const bool is_new = ::stat(path.c_str(), &before) != 0 && errno == ENOENT;
    if (!is_new && (before.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw InputError(
            fmt::format("--http-token-file: expected a file that only its owner may read, got {}, which has "
                        "mode {:04o}: chmod 600 mends that",
                        net::shown_path(path), before.st_mode & 07777U));
    }
    const net::File file = net::open_own_file(path, net::Make::kIfMissing);
    std::string text = net::read_at(file, 0, kLongestToken + 1, path);
    if (is_new && text.empty()) {
        text = random_token() + "\n";
        net::write_to_disk(file, text, path);
    }
    const std::string_view line = trimmed(std::string_view(text).substr(0, text.find('\n')));
    const bool plain = std::ranges::all_of(line, [](char c) { return c > ' ' && c < 0x7f; });
    if (!plain || line.size() < kShortestToken || line.size() > kLongestToken)
        throw InputError(
            fmt::format("--http-token-file: expected {} to {} printable characters without blanks in the "
                        "first line of {}, got {}",
                        kShortestToken, kLongestToken, net::shown_path(path),
                        line.empty() ? "nothing"
                        : plain      ? fmt::format("{} of them", line.size())
                                     : "others"));
    return std::string(line);
}

}  // namespace gpuminer::web
