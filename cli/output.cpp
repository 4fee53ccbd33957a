#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include "cli/logging.hpp"
#include "cli/terminal.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

[[noreturn]] void fail() {
    if (errno == EPIPE) throw ClosedPipeError();
    throw InputError("cannot write to standard output: " + std::generic_category().message(errno));
}

}  // namespace

Output::Output() : columns_(columns_of(STDOUT_FILENO)) { (void)wait_for_log(); }

void Output::write(std::string_view any) { write_colored(printable_lines(any)); }

void Output::write_colored(std::string_view lines) {
    const std::string text = wrapped(lines, columns_);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void Output::finish() {
    if (std::fflush(stdout) != 0) fail();
}

bool Output::has_colors() { return colors_wanted() && terminal_has_colors(STDOUT_FILENO); }

void write_text_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    if (!file.flush()) throw InputError(fmt::format("cannot write {}", quoted_text(path, 100)));
}

void occupy_closed_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1) continue;
        // The lowest free number is `descriptor` itself: those below are open by now.
        const int mode = descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) != descriptor) return;  // no /dev/null here: nothing more can be done
    }
}

}  // namespace gpuminer
