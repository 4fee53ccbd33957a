#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/terminal.hpp"

namespace gpuminer {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

ScreenSize screen_size(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
    return {.columns = size.ws_col, .rows = size.ws_row};
}

bool is_in_background(int descriptor) {
    const pid_t foreground = ::tcgetpgrp(descriptor);
    return foreground >= 0 && foreground != ::getpgrp();
}

}  // namespace gpuminer
