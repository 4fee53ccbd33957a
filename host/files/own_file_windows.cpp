// Files and folders with access control lists: new ones are for the user alone (access_list.hpp), and existing files
// from their opening on. Existing folders keep their rights, but for the cache's.
#include "host/files/own_file.hpp"

#include <windows.h>

// After windows.h, which defines what they use:
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/files/access_list.hpp"
#include "host/files/busy_file.hpp"
#include "host/system/last_error.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* verb, const File& file, const fs::path& path) {
    fail_with_errno(fmt::format("{} {}", verb, file.what()), path);
}

const char* kind_of(fs::file_type type) {
    switch (type) {
        case fs::file_type::symlink: return "a symbolic link";
        case fs::file_type::directory: return "a folder";
        default: return "a device";
    }
}

[[noreturn]] void refuse(fs::file_type type, const fs::path& path, const char* what) {
    throw InputError(fmt::format("expected a regular file as {}, but {} is {}", what, shown_path(path), kind_of(type)));
}

struct _stat64 status_of(const File& file, const fs::path& path) {
    struct _stat64 status {};
    if (::_fstat64(file.get(), &status) != 0) fail_to("read", file, path);
    return status;
}

int descriptor_of(const fs::path& path, int flags, Make make) {
    const int made = make == Make::kNever ? -1 : make_file_for_user(path);
    if (made >= 0 || make == Make::kAlways || (make == Make::kIfMissing && errno != EEXIST)) return made;
    return ::_wopen(path.c_str(), flags | _O_BINARY | _O_NOINHERIT);
}

/// Not open: there is none, and it is not to be made.
File open_as(const fs::path& path, int flags, Make make, const char* what) {
    std::error_code ignored;
    const fs::file_type named = fs::symlink_status(path, ignored).type();
    if (named == fs::file_type::symlink || named == fs::file_type::directory) refuse(named, path, what);
    File file(descriptor_of(path, flags, make), what);
    if (!file.is_open()) {
        if (errno == ENOENT && make == Make::kNever) return file;
        fail_to("open", file, path);
    }
    // "NUL" and the like are names of devices in every folder.
    if ((status_of(file, path).st_mode & _S_IFMT) != _S_IFREG) refuse(fs::file_type::character, path, what);
    return file;
}

void require_own(const Rights& rights, const char* kind, const fs::path& path) {
    if (const std::string other = rights.other_owner(); !other.empty())
        throw InputError(
            fmt::format("expected {} of this user, but {} belongs to {}", kind, shown_path(path), quoted_text(other)));
}

void require_private_folder(const fs::path& folder) {
    const Rights rights(folder);
    require_own(rights, "a folder", folder);
    if (const std::string other = rights.other_user(Use::kWriting); !other.empty())
        throw InputError(fmt::format("expected a folder that only its owner may write, but {} may write in {}",
                                     quoted_text(other), shown_path(folder)));
}

}  // namespace

File::~File() {
    if (descriptor_ >= 0) ::_close(descriptor_);
}

std::string shown_path(const fs::path& path) {
    constexpr std::size_t kLongest = 200;
    const std::u8string text = path.u8string();
    return quoted_text(std::string(text.begin(), text.end()), kLongest);
}

void fail_with_errno(const std::string& deed, const fs::path& path) {
    const std::string why = std::generic_category().message(errno);
    throw InputError(fmt::format("cannot {} {}: {}", deed, shown_path(path), why));
}

File open_own_file(const fs::path& path, Make make, const char* what) {
    File file = open_as(path, _O_RDWR | _O_APPEND, make, what);
    if (!file.is_open() || is_on_a_share(path)) return file;
    const Rights rights(file);
    require_own(rights, what, path);
    if (!rights.other_user(Use::kAny).empty()) close_to_others(file);
    return file;
}

File open_file_to_read(const fs::path& path, const char* what) { return open_as(path, _O_RDONLY, Make::kNever, what); }

File open_private_file(const fs::path& path, const char* what) {
    File file = open_file_to_read(path, what);
    if (!file.is_open()) return file;
    require_private_folder(folder_of(path));
    const Rights rights(file);
    require_own(rights, what, path);
    if (const std::string other = rights.other_user(Use::kWriting); !other.empty())
        throw InputError(fmt::format("expected a file that only its owner may write as {}, but {} may write {}", what,
                                     quoted_text(other), shown_path(path)));
    return file;
}

std::string who_else_reads(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return "";
    const File file(::_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT));
    const std::string other = file.is_open() ? Rights(file).other_user(Use::kReading) : "";
    return other.empty() ? "" : quoted_text(other);
}

/// The first takes away what the file itself has for others, the second what comes from its folder.
const char* closing_command() { return "`icacls FILE /reset` and then `icacls FILE /inheritance:r /grant:r USER:F`"; }

void wait_for_lock(const File& file) {
    constexpr DWORD kFar = 0x7fffffff;  // one byte far beyond the end, as locked bytes cannot be read
    OVERLAPPED place{};
    place.OffsetHigh = kFar;
    const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file.get()));
    (void)LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &place);
}

std::size_t size_of(const File& file, const fs::path& path) {
    return static_cast<std::size_t>(status_of(file, path).st_size);
}

std::string read_at(const File& file, std::size_t from, std::size_t count, const fs::path& path) {
    std::string text(count, '\0');
    std::size_t done = 0;
    if (::_lseeki64(file.get(), static_cast<long long>(from), SEEK_SET) < 0) fail_to("read", file, path);
    while (done < text.size()) {
        const auto most = static_cast<unsigned>(std::min<std::size_t>(text.size() - done, INT_MAX));
        const int got = ::_read(file.get(), text.data() + done, most);
        if (got < 0) fail_to("read", file, path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

void empty_file(const File& file, const fs::path& path) {
    errno = ::_chsize_s(file.get(), 0);
    if (errno != 0) fail_to("write", file, path);
}

void write_text(const File& file, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const auto most = static_cast<unsigned>(std::min<std::size_t>(text.size(), INT_MAX));
        const int written = ::_write(file.get(), text.data(), most);
        if (written < 0) fail_to("write", file, path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void write_to_disk(const File& file, std::string_view text, const fs::path& path) {
    write_text(file, text, path);
    if (::_commit(file.get()) != 0) fail_to("write", file, path);
}

void replace_file(const fs::path& path, const fs::path& fresh, const char* what) {
    constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    if (try_while_busy([&] { return MoveFileExW(fresh.c_str(), path.c_str(), kHow) != 0; })) return;
    errno = errno_of_last_error();
    fail_with_errno(fmt::format("replace {}", what), path);
}

void unlink_file(const fs::path& path) { (void)::_wunlink(path.c_str()); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void make_folders(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) return;
    const fs::path above = folder_of(folder);
    if (above != folder) make_folders(above);
    if (!make_folder_for_user(folder) && errno != EEXIST) fail_with_errno("make the folder", folder);
}

void make_private_folder(const fs::path& folder) {
    make_folders(folder);
    const Rights rights(folder);
    require_own(rights, "a folder", folder);
    if (rights.other_user(Use::kWriting).empty()) return;
    close_folder_to_others(folder);
    require_private_folder(folder);
}

/// The renaming writes through.
void sync_folder(const fs::path& /*folder*/) {}

}  // namespace gpuminer
