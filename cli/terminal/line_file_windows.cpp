#include "cli/terminal/line_file.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "host/system/wide_text.hpp"

namespace gpuminer {
namespace {

/// Null: the descriptor is of something else.
HANDLE console_behind(int descriptor) {
    const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
    DWORD mode = 0;
    return GetConsoleMode(handle, &mode) != 0 ? handle : nullptr;
}

/// As UTF-16: what a console makes of bytes depends on its code page, and on where a write ends.
int write_to_console(HANDLE console, std::string_view& text) {
    constexpr std::size_t kMost = 8192;  // units: some versions take no more than 64 KiB
    const auto is_first_of_two = [](wchar_t unit) { return unit >= 0xd800 && unit <= 0xdbff; };
    const std::wstring units = utf16_of(text);
    for (std::wstring_view rest = units; !rest.empty();) {
        std::size_t size = std::min(rest.size(), kMost);
        if (size > 1 && is_first_of_two(rest[size - 1])) --size;
        DWORD written = 0;
        if (WriteConsoleW(console, rest.data(), static_cast<DWORD>(size), &written, nullptr) == 0 || written == 0)
            return EIO;
        rest.remove_prefix(std::min<std::size_t>(written, rest.size()));
    }
    text = {};
    return 0;
}

/// Takes from `text` what is written. Zero, or errno.
int write_some(int descriptor, std::string_view& text) {
    if (const HANDLE console = console_behind(descriptor); console != nullptr) return write_to_console(console, text);
    while (!text.empty()) {
        const auto most = static_cast<unsigned>(std::min<std::size_t>(text.size(), INT_MAX));
        const int written = ::_write(descriptor, text.data(), most);
        if (written < 0) return errno == EINVAL ? EPIPE : errno;  // the C library's word for a pipe that is closed
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

LineFile::LineFile(std::string path, Existing existing) : path_(std::move(path)), existing_(existing), descriptor_(-1) {
    error_ = reopen();
}

LineFile::LineFile(int descriptor)
    : existing_(Existing::kContinued), descriptor_(descriptor), error_(descriptor < 0 ? errno : 0) {}

LineFile::~LineFile() {
    if (descriptor_ >= 0) ::_close(descriptor_);
}

Taken LineFile::write(std::string_view text) {
    std::string_view rest = text;
    error_ = descriptor_ < 0 ? EBADF : write_some(descriptor_, rest);
    return Taken::kDone;
}

int LineFile::reopen() {
    const int how = existing_ == Existing::kReplaced ? _O_TRUNC : _O_APPEND;
    const int fresh = ::_wopen(std::filesystem::path(path_).c_str(),
                               _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | how, _S_IREAD | _S_IWRITE);
    if (fresh < 0) return errno;
    if (const int before = std::exchange(descriptor_, fresh); before >= 0) ::_close(before);
    return 0;
}

int copy_of_standard_output() { return ::_dup(1); }

int write_all(int descriptor, std::string_view text) { return write_some(descriptor, text); }

}  // namespace gpuminer
