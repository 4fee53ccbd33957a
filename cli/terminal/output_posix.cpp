#include "cli/terminal/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "cli/terminal/line_file.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

bool is_document = false;

[[noreturn]] void fail() {
    if (errno == EPIPE) throw ClosedPipeError();
    throw InputError("cannot write to standard output: " + std::generic_category().message(errno));
}

/// And not a symbolic link that leads to it.
void remove_file(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
}

}  // namespace

void Output::expect_document() { is_document = true; }

Output::Output() : columns_(columns_of(STDOUT_FILENO)) { (void)wait_for_log(); }

void Output::write(std::string_view any) { write_colored(printable_lines(any)); }

void Output::write_colored(std::string_view lines) {
    const std::string text = wrapped(is_document ? std::string(lines) : shown_on(STDOUT_FILENO, lines), columns_);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void Output::finish() {
    if (std::fflush(stdout) != 0) fail();
}

void write_to_standard_output(std::string_view bytes) {
    errno = write_all(STDOUT_FILENO, bytes);
    if (errno != 0) fail();
}

bool Output::has_colors() { return colors_wanted() && terminal_has_colors(STDOUT_FILENO); }

OutputFile::OutputFile(const std::string& path) : path_(path), is_new_(::access(path.c_str(), F_OK) != 0) {
    File file = open(0);
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
        const std::string why = errno == ENXIO ? "nobody reads it" : std::generic_category().message(errno);
        throw InputError(fmt::format("expected a file that can be written, got {}: {}", quoted_text(path, 100), why));
    }
    if (!S_ISREG(status.st_mode)) {
        held_ = std::move(file);
    } else if (is_new_) {
        remove_file(path_);
    }
}

void OutputFile::write(std::string_view text) {
    const File regular = held_.is_open() ? File() : open(O_TRUNC);
    const File& file = held_.is_open() ? held_ : regular;
    const int error = file.is_open() ? write_all(file.get(), text) : errno;
    if (error == 0) return;
    if (regular.is_open() && is_new_) remove_file(path_);
    throw InputError(
        fmt::format("cannot write {}: {}", quoted_text(path_, 100), std::generic_category().message(error)));
}

File OutputFile::open(int flags) const {
    constexpr mode_t kNewFileMode = 0666;  // as the umask has it
    return File(::open(path_.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags, kNewFileMode));
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
