#include "host/files/lock_file.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>

#include "host/system/last_error.hpp"

namespace gpuminer {

File take_lock_file(const std::filesystem::path& path, const char* what) {
    constexpr DWORD kSharedWithNobody = 0;
    const std::filesystem::path lock = std::filesystem::path(path) += ".lock";
    const HANDLE handle =
        CreateFileW(lock.c_str(), GENERIC_WRITE | DELETE, kSharedWithNobody, nullptr, OPEN_ALWAYS,
                    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
    if (handle != INVALID_HANDLE_VALUE)
        return File(::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_WRONLY | _O_NOINHERIT), what);
    if (GetLastError() == ERROR_SHARING_VIOLATION) return File(-1, what);
    errno = errno_of_last_error();
    fail_with_errno(fmt::format("open {}", what), path);
}

}  // namespace gpuminer
