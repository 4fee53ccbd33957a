#include "cli/terminal/output.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <cerrno>
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
    if (errno == EPIPE || errno == EINVAL) throw ClosedPipeError();  // the latter of a pipe that nobody reads any more
    throw InputError("cannot write to standard output: " + std::generic_category().message(errno));
}

void remove_file(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

/// Where standard output or error is a console: control sequences.
void prepare_console(DWORD stream) {
    const HANDLE console = GetStdHandle(stream);
    DWORD mode = 0;
    if (GetConsoleMode(console, &mode) == 0) return;
    (void)SetConsoleMode(console, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

}  // namespace

void Output::expect_document() { is_document = true; }

Output::Output() : columns_(columns_of(kStandardOutput)) { (void)wait_for_log(); }

void Output::write(std::string_view any) { write_colored(printable_lines(any)); }

void Output::write_colored(std::string_view lines) {
    const std::string text = wrapped(is_document ? std::string(lines) : shown_on(kStandardOutput, lines), columns_);
    write_to_standard_output(text);
}

/// Nothing is kept back.
void Output::finish() {}

void write_to_standard_output(std::string_view bytes) {
    errno = write_all(kStandardOutput, bytes);
    if (errno != 0) fail();
}

bool Output::has_colors() { return colors_wanted() && terminal_has_colors(kStandardOutput); }

OutputFile::OutputFile(const std::string& path) : path_(path) {
    std::error_code ignored;
    is_new_ = !std::filesystem::exists(path, ignored);
    File file = open(0);
    struct _stat64 status {};
    if (!file.is_open() || ::_fstat64(file.get(), &status) != 0) {
        throw InputError(fmt::format("expected a file that can be written, got {}: {}", quoted_text(path, 100),
                                     std::generic_category().message(errno)));
    }
    if ((status.st_mode & _S_IFMT) != _S_IFREG) {
        held_ = std::move(file);
    } else if (is_new_) {
        file = File();
        remove_file(path_);
    }
}

void OutputFile::write(std::string_view text) {
    File regular = held_.is_open() ? File() : open(_O_TRUNC);
    const File& file = held_.is_open() ? held_ : regular;
    const int error = file.is_open() ? write_all(file.get(), text) : errno;
    if (error == 0) return;
    const bool was_made = regular.is_open() && is_new_;
    regular = File();
    if (was_made) remove_file(path_);
    throw InputError(
        fmt::format("cannot write {}: {}", quoted_text(path_, 100), std::generic_category().message(error)));
}

File OutputFile::open(int flags) const {
    return File(::_wopen(std::filesystem::path(path_).c_str(), _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | flags,
                         _S_IREAD | _S_IWRITE));
}

/// And has them carry bytes as they are.
void occupy_closed_standard_streams() {
    for (const int descriptor : {0, kStandardOutput, kStandardError}) {
        if (::_get_osfhandle(descriptor) < 0) {  // closed, or a window's program that has none
            const int null = ::_open("NUL", descriptor == kStandardError ? _O_WRONLY : _O_RDONLY);
            if (null >= 0 && null != descriptor) {
                (void)::_dup2(null, descriptor);
                ::_close(null);
            }
        }
        (void)::_setmode(descriptor, _O_BINARY);
    }
    prepare_console(STD_OUTPUT_HANDLE);
    prepare_console(STD_ERROR_HANDLE);
}

}  // namespace gpuminer
