#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "host/errors.hpp"
#include "host/files/own_file.hpp"
#include "web/token_file_access.hpp"

namespace gpuminer::web {
namespace {

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

}  // namespace

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

}  // namespace gpuminer::web
