// Standard output: results, and nothing else. A result that cannot be written is an error.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/files/own_file.hpp"

namespace gpuminer {

/// Nobody reads standard output any more (`| head`, a pager that was left): no error that anybody wants to hear of.
class ClosedPipeError : public std::runtime_error {
public:
    ClosedPipeError() : runtime_error("standard output is closed") {}
};

/// Buffered standard output, wrapped where it is a terminal, whose errors are not lost: a full disk, a closed pipe, no
/// stdout at all.
class Output {
public:
    /// Messages come first, where both go to one terminal.
    Output();
    /// From now on what is written is JSON: UTF-8, whatever the terminal's locale. Before there are threads.
    static void expect_document();
    /// Lines of text, of which only printable_lines() of host/text/text.hpp gets out: names of drivers and reasons of
    /// servers are in it. In ASCII on a terminal that shows nothing else. Throws as finish() does.
    void write(std::string_view text);
    /// Text of the program's own with control sequences, which reach the terminal.
    void write_colored(std::string_view text);
    /// Flushes. Throws ClosedPipeError, or InputError with the system's reason, where something could not be written.
    void finish();
    /// Characters in a line: what tables are to fit into. kUnlimitedColumns: it is no terminal.
    [[nodiscard]] std::size_t columns() const { return columns_; }
    /// Whether it is a terminal with colours, and nobody asked for none.
    [[nodiscard]] static bool has_colors();

private:
    const std::size_t columns_;
};

/// The same for bytes as they are, at once, waiting for room where the descriptor does not (O_NONBLOCK). Throws as
/// Output::finish() does.
void write_to_standard_output(std::string_view bytes);

/// A file that a user names for a result, to be written at once, or after minutes of measuring.
class OutputFile {
public:
    /// Throws InputError where it cannot be written, as a pipe that nobody reads. Makes and changes no file yet.
    explicit OutputFile(const std::string& path);
    /// Throws InputError; then nothing is left of a file that was none before.
    void write(std::string_view text);

private:
    [[nodiscard]] File open(int flags) const;

    std::string path_;
    bool is_new_;
    File held_;  ///< a pipe or device: its reader may take a closing for the end
};

/// Occupies the standard descriptors that the caller closed, so that no file opened later takes their place
/// and gets our results written into it. Writing to an occupied one fails, reading gives nothing.
void occupy_closed_standard_streams();

}  // namespace gpuminer
