#include <windows.h>

#include <io.h>  // after windows.h

#include "cli/terminal/terminal.hpp"

namespace gpuminer {
namespace {

HANDLE console_of(int descriptor) { return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)); }

}  // namespace

/// By its console, as the C library takes every device (NUL) for a terminal.
bool is_terminal(int descriptor) {
    DWORD mode = 0;
    return GetConsoleMode(console_of(descriptor), &mode) != 0;
}

ScreenSize screen_size(int descriptor) {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (GetConsoleScreenBufferInfo(console_of(descriptor), &info) == 0) return {};
    return {.columns = static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1),
            .rows = static_cast<std::size_t>(info.srWindow.Bottom - info.srWindow.Top + 1)};
}

bool knows_colors(int descriptor) {
    DWORD mode = 0;
    return GetConsoleMode(console_of(descriptor), &mode) != 0 && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

/// As consoles of before Windows 10, and those in "legacy mode", are.
bool is_dumb_terminal() { return is_terminal(kStandardError) && !knows_colors(kStandardError); }

/// There is no such thing here.
bool is_in_background(int /*descriptor*/) { return false; }

}  // namespace gpuminer
