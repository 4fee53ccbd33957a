#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

void Output::write(std::string_view any) {
    const std::string text = wrapped(printable_lines(any), columns_);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void Output::finish() {
    if (std::fflush(stdout) != 0) fail();
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
