#include "web/token_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>

#include "host/errors.hpp"
#include "host/files/own_file.hpp"
#include "host/text/text.hpp"

namespace gpuminer::web {
namespace {

constexpr std::size_t kRandomBytes = 32, kShortestToken = 16, kLongestToken = 1024;

std::string random_token() {
    std::array<unsigned char, kRandomBytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw InputError("--http-token-file: the system provides no random numbers");
    return to_hex(bytes);
}

/// Root may read the file of the miner's user, whose folder it is in. That user could have put a link to somebody
/// else's file there, to have its first line sent.
File open_as_root(const std::filesystem::path& path) {
    const File folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) return File();
    File file(::openat(folder.get(), path.filename().c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat of_folder {
    }, of_file{};
    if (!file.is_open()) return file;
    if (::fstat(folder.get(), &of_folder) != 0 || ::fstat(file.get(), &of_file) != 0)
        fail_with_errno("read the token in", path);
    if (of_folder.st_uid != of_file.st_uid)
        throw InputError(
            fmt::format("--http-token-file: expected a file of its folder's user (number {}), got {}, which "
                        "belongs to user {}",
                        of_folder.st_uid, shown_path(path), of_file.st_uid));
    return file;
}

/// Its beginning; empty: there is no such file. `for_root`: as open_as_root(); else root, too, trusts its own files
/// alone.
std::optional<std::string> read_token_file(const std::filesystem::path& path, bool for_root) {
    const bool as_root = for_root && ::geteuid() == 0;
    const File file = as_root ? open_as_root(path) : File(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open() && errno == ENOENT) return std::nullopt;
    if (!file.is_open()) fail_with_errno("read the token in", path);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) fail_with_errno("read the file", path);
    if (!S_ISREG(status.st_mode))
        throw InputError(fmt::format("--http-token-file: expected a regular file, got {}", shown_path(path)));
    if (status.st_uid != ::geteuid() && !as_root) {
        throw InputError(
            fmt::format("--http-token-file: expected a file of this user (number {}), got {}, which belongs to user {}",
                        ::geteuid(), shown_path(path), status.st_uid));
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw InputError(
            fmt::format("--http-token-file: expected a file that only its owner may read, got {}, which has "
                        "mode {:04o}: chmod 600 mends that",
                        shown_path(path), status.st_mode & 07777U));
    }
    return read_at(file, 0, kLongestToken + 1, path);
}

/// Whole or not at all: half a token would be refused at every later start.
void make_token_file(const std::filesystem::path& path, const std::string& text) {
    make_folders(folder_of(path));
    const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR),
                    "the token's file");
    if (!file.is_open()) fail_with_errno("make the token's file", path);
    try {
        write_to_disk(file, text, path);
    } catch (const InputError&) {
        (void)::unlink(path.c_str());
        throw;
    }
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
