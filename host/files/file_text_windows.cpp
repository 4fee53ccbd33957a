#include "host/files/file_text.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <system_error>

#include "host/system/last_error.hpp"

namespace gpuminer {
namespace {

std::string reason() { return std::generic_category().message(errno); }

/// In nobody's way, who may rename, replace and delete it meanwhile. -1: it failed.
int descriptor_of(const std::filesystem::path& path) {
    constexpr DWORD kSharedWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle =
        CreateFileW(path.c_str(), GENERIC_READ, kSharedWithAll, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle != INVALID_HANDLE_VALUE)
        return ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    errno = errno_of_last_error();
    return -1;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, FileKind kind) : descriptor_(descriptor_of(path)) {
    const int error = errno;  // of the opening, which says of a directory that permission is denied
    struct _stat64 facts {};
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        failure_ = "it is a directory";
    } else if (descriptor_ < 0) {
        failure_ = std::generic_category().message(error);
    } else if (::_fstat64(descriptor_, &facts) != 0) {
        failure_ = reason();
    } else if (kind == FileKind::kRegular && (facts.st_mode & _S_IFMT) != _S_IFREG) {
        failure_ = "it is not a regular file";
    }
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::_close(descriptor_);
}

std::size_t InputFile::read(char* place, std::size_t count) {
    if (!failure_.empty()) return 0;
    const int got = ::_read(descriptor_, place, static_cast<unsigned>(std::min<std::size_t>(count, INT_MAX)));
    if (got >= 0) return static_cast<std::size_t>(got);
    failure_ = reason();
    return 0;
}

/// Named pipes, which are all that one could wait for here, are opened when there is somebody at their other end.
void limit_reading(double /*seconds*/) {}

}  // namespace gpuminer
