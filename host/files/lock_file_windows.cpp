#include "host/files/lock_file.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "host/errors.hpp"
#include "host/files/busy_file.hpp"
#include "host/system/last_error.hpp"

namespace gpuminer {
namespace {

/// Ours is always empty; what somebody else has there is not to be deleted.
void refuse_content(const std::filesystem::path& lock, const char* what) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(lock, ignored);
    if (ignored || size == 0) return;
    throw InputError(
        fmt::format("expected an empty file as the lock of {}, but {} has {} bytes", what, shown_path(lock), size));
}

}  // namespace

File take_lock_file(const std::filesystem::path& path, const char* what) {
    constexpr DWORD kSharedWithNobody = 0;
    const std::filesystem::path lock = std::filesystem::path(path) += ".lock";
    refuse_content(lock, what);
    HANDLE handle = INVALID_HANDLE_VALUE;
    bool is_taken = false;
    (void)try_while_busy([&] {
        handle = CreateFileW(lock.c_str(), GENERIC_WRITE | DELETE, kSharedWithNobody, nullptr, OPEN_ALWAYS,
                             FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
        is_taken = handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION;
        return handle != INVALID_HANDLE_VALUE || is_taken;
    });
    if (handle != INVALID_HANDLE_VALUE)
        return File(::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_WRONLY | _O_NOINHERIT), what);
    if (is_taken) return File(-1, what);
    errno = errno_of_last_error();
    fail_with_errno(fmt::format("open {}", what), path);
}

}  // namespace gpuminer
