#include "host/files/own_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

const char* kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFLNK: return "a symbolic link";
        case S_IFDIR: return "a folder";
        case S_IFIFO: return "a pipe";
        case S_IFSOCK: return "a socket";
        default: return "a device";
    }
}

[[noreturn]] void fail_to(const char* verb, const File& file, const fs::path& path) {
    fail_with_errno(fmt::format("{} {}", verb, file.what()), path);
}

struct stat status_of(const File& file, const fs::path& path) {
    struct stat status {};
    if (fstat(file.get(), &status) != 0) fail_to("read", file, path);
    return status;
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

/// Not open: there is none, and it is not to be made.
File open_regular_file(const fs::path& path, int flags, const char* what) {
    const bool makes = (flags & O_CREAT) != 0;
    // A look before: opening alone does something to some devices.
    struct stat named {};
    if (lstat(path.c_str(), &named) == 0) {
        require_own_regular_file(named, path, what);
    } else if (errno == ENOENT && !makes) {
        return File();
    }
    // And one after, as the name may have become another file's in between.
    File file(open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kOwnerOnly), what);
    if (!file.is_open()) {
        if (errno == ENOENT && !makes) return file;
        fail_to("open", file, path);
    }
    require_own_regular_file(status_of(file, path), path, what);
    return file;
}

enum class Mend { kNo, kYes };
/// Throws InputError where another user has the folder or may write in it, which its owner may mend.
void require_private_folder(const fs::path& folder, Mend mend) {
    const File opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat named {};
    if (!opened.is_open() || lstat(folder.c_str(), &named) != 0) fail_with_errno("open the folder", folder);
    const struct stat status = status_of(opened, folder);
    // Who has the name, too: another user's link may lead to any folder of this one's. (Those of systemd are root's.)
    const bool own_name = named.st_uid == geteuid() || (S_ISLNK(named.st_mode) && named.st_uid == 0);
    if (status.st_uid != geteuid() || !own_name)
        throw InputError(fmt::format("expected a folder of this user (number {}), but {} belongs to another", geteuid(),
                                     shown_path(folder)));
    if ((status.st_mode & kWritableByOthers) == 0) return;
    if (mend == Mend::kNo || fchmod(opened.get(), status.st_mode & 07777U & ~kWritableByOthers) != 0)
        throw InputError(fmt::format("expected a folder that only its owner may write, but others may write in {}",
                                     shown_path(folder)));
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
    const int creation = make == Make::kNever ? 0 : make == Make::kIfMissing ? O_CREAT : O_CREAT | O_EXCL;
    File file = open_regular_file(path, O_RDWR | O_APPEND | creation, what);
    if (file.is_open() && (status_of(file, path).st_mode & kOthers) != 0)
        (void)fchmod(file.get(), kOwnerOnly);  // some file systems have no modes
    return file;
}

File open_private_file(const fs::path& path, const char* what) {
    File file = open_regular_file(path, O_RDONLY, what);
    if (!file.is_open()) return file;
    require_private_folder(folder_of(path), Mend::kNo);
    if ((status_of(file, path).st_mode & kWritableByOthers) != 0)
        throw InputError(fmt::format("expected a file that only its owner may write as {}, but others may write {}",
                                     what, shown_path(path)));
    return file;
}

std::string who_else_reads(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    const bool is_open = (status.permissions() & fs::perms::others_read) != fs::perms::none;
    return status.type() == fs::file_type::regular && is_open ? "every user of this machine" : "";
}

const char* closing_command() { return "`chmod 600`"; }

bool lock_file(const File& file, const fs::path& path) {
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) fail_to("lock", file, path);
    }
    return true;
}

void wait_for_lock(const File& file) { (void)flock(file.get(), LOCK_EX); }

std::size_t size_of(const File& file, const fs::path& path) {
    return static_cast<std::size_t>(status_of(file, path).st_size);
}

bool has_name(const File& file, const fs::path& path) {
    const struct stat ours = status_of(file, path);
    struct stat named {};
    return lstat(path.c_str(), &named) == 0 && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

std::string read_at(const File& file, std::size_t from, std::size_t count, const fs::path& path) {
    std::string text(count, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(from + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_to("read", file, path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

void empty_file(const File& file, const fs::path& path) {
    if (ftruncate(file.get(), 0) != 0) fail_to("write", file, path);
}

void write_text(const File& file, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t written = write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_to("write", file, path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void write_to_disk(const File& file, std::string_view text, const fs::path& path) {
    write_text(file, text, path);
    if (fsync(file.get()) != 0 && errno != EINVAL) fail_to("write", file, path);  // not to be had: EINVAL
}

void replace_file(const fs::path& path, const fs::path& fresh, const char* what) {
    if (std::rename(fresh.c_str(), path.c_str()) != 0) fail_with_errno(fmt::format("replace {}", what), path);
}

void unlink_file(const fs::path& path) { (void)unlink(path.c_str()); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void make_folders(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) return;
    const fs::path above = folder_of(folder);
    if (above != folder) make_folders(above);
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail_with_errno("make the folder", folder);
    sync_folder(above);
}

void make_private_folder(const fs::path& folder) {
    make_folders(folder);
    require_private_folder(folder, Mend::kYes);
}

void sync_folder(const fs::path& folder) {
    const File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.is_open()) (void)fsync(file.get());
}

}  // namespace gpuminer
