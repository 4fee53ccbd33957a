#include "host/block/own_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

const char* kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFLNK: return "a symbolic link";
        case S_IFDIR: return "a folder";
        case S_IFIFO: return "a pipe";
        case S_IFSOCK: return "a socket";
        default: return "a device";
    }
}

void require_own_regular_file(const struct stat& status, const fs::path& path, const char* what) {
    if (!S_ISREG(status.st_mode)) {
        throw InputError(fmt::format("expected a regular file as {}, but {} is {}", what, shown_path(path),
                                     kind_of(status.st_mode)));
    }
    if (status.st_uid != geteuid()) {
        throw InputError(fmt::format("expected a file of this user (number {}) as {}, but {} belongs to user {}",
                                     geteuid(), what, shown_path(path), status.st_uid));
    }
}

[[noreturn]] void fail_to(const char* verb, const File& file, const fs::path& path) {
    fail_with_errno(fmt::format("{} {}", verb, file.what()), path);
}

}  // namespace

File::~File() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::string shown_path(const fs::path& path) {
    constexpr std::size_t kLongest = 200;
    return quoted_text(path.native(), kLongest);
}

void fail_with_errno(const std::string& deed, const fs::path& path) {
    const std::string why = std::generic_category().message(errno);
    throw InputError(fmt::format("cannot {} {}: {}", deed, shown_path(path), why));
}

File open_own_file(const fs::path& path, Make make, const char* what) {
    // A look before: opening alone does something to some devices.
    struct stat named {};
    if (lstat(path.c_str(), &named) == 0) {
        require_own_regular_file(named, path, what);
    } else if (errno == ENOENT && make == Make::kNever) {
        return File();
    }
    // And one after, as the name may have become another file's in between.
    const int flags = make == Make::kNever ? 0 : make == Make::kIfMissing ? O_CREAT : O_CREAT | O_EXCL;
    File file(open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, kOwnerOnly), what);
    if (!file.is_open()) {
        if (errno == ENOENT && make == Make::kNever) return file;
        fail_to("open", file, path);
    }
    const struct stat status = status_of(file, path);
    require_own_regular_file(status, path, what);
    if ((status.st_mode & kOthers) != 0) (void)fchmod(file.get(), kOwnerOnly);  // some file systems have no modes
    return file;
}

bool lock_file(const File& file, const fs::path& path) {
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) fail_to("lock", file, path);
    }
    return true;
}

struct stat status_of(const File& file, const fs::path& path) {
    struct stat status {};
    if (fstat(file.get(), &status) != 0) fail_to("read", file, path);
    return status;
}

bool has_name(const File& file, const fs::path& path) {
    const struct stat ours = status_of(file, path);
    struct stat named {};
    return lstat(path.c_str(), &named) == 0 && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

std::string read_at(const File& file, off_t from, std::size_t count, const fs::path& path) {
    std::string text(count, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = pread(file.get(), text.data() + done, text.size() - done, from + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_to("read", file, path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

void write_to_disk(const File& file, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t written = write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_to("write", file, path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (fsync(file.get()) != 0 && errno != EINVAL) fail_to("write", file, path);  // not to be had: EINVAL
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void make_folders(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) return;
    const fs::path above = folder_of(folder);
    if (above != folder) make_folders(above);
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail_with_errno("make the folder", folder);
    sync_folder(above);
}

void sync_folder(const fs::path& folder) {
    const File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.is_open()) (void)fsync(file.get());
}

}  // namespace gpuminer
