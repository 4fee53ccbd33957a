// Standard output: results, and nothing else. A result that cannot be written is an error.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

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
    /// Lines of text, of which only printable_lines() of host/block/text.hpp gets out: names of drivers and reasons of
    /// servers are in it. Throws as finish() does.
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

/// Throws InputError where the file cannot be written.
void write_text_file(const std::string& path, const std::string& text);

/// Occupies the standard descriptors that the caller closed, so that no file opened later takes their place
/// and gets our results written into it. Writing to an occupied one fails, reading gives nothing.
void occupy_closed_standard_streams();

}  // namespace gpuminer
