#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "cli/terminal/terminal.hpp"

namespace gpuminer {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

ScreenSize screen_size(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
    return {.columns = size.ws_col, .rows = size.ws_row};
}

bool knows_colors(int /*descriptor*/) { return std::getenv("TERM") != nullptr; }

bool is_dumb_terminal() {
    const char* const terminal = std::getenv("TERM");
    return terminal != nullptr && std::string_view(terminal) == "dumb";
}

bool is_in_background(int descriptor) {
    const pid_t foreground = ::tcgetpgrp(descriptor);
    return foreground >= 0 && foreground != ::getpgrp();
}

}  // namespace gpuminer
