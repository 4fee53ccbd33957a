// Terminals: how wide they are, and text that fits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/text/table.hpp"

namespace gpuminer {

/// Descriptors.
inline constexpr int kStandardOutput = 1, kStandardError = 2;

[[nodiscard]] bool is_terminal(int descriptor);

struct ScreenSize {
    std::size_t columns = 0, rows = 0;  ///< zero: the terminal does not tell
};
[[nodiscard]] ScreenSize screen_size(int descriptor);

/// From now on columns_of(), terminal_has_colors() and shown_on() take nothing for a terminal: for a program whose
/// output somebody passes on through terminals of his own (mpirun). Before there are threads.
void ignore_terminals();

/// Characters in a line of the terminal behind a descriptor, as it is now; where it does not tell, COLUMNS of the
/// environment, or else 80. kUnlimitedColumns: it is no terminal.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Lines of that terminal, as it is now; where it does not tell, LINES of the environment, or else 24.
[[nodiscard]] std::size_t rows_of(int descriptor);

/// Whether it is this process's controlling terminal and in another process group's hands, as after `bg`: who writes
/// there is in somebody's way, and who reads or changes its settings is stopped.
[[nodiscard]] bool is_in_background(int descriptor);

/// Whether the terminal behind a descriptor is known to show colours: on POSIX systems by TERM, whatever that is.
[[nodiscard]] bool knows_colors(int descriptor);

/// Whether the environment says that the terminal knows no control sequences (TERM=dumb), or Windows' console does not:
/// neither colours nor live lines.
[[nodiscard]] bool is_dumb_terminal();

/// Whether a terminal is behind the descriptor that shows colours.
[[nodiscard]] bool terminal_has_colors(int descriptor);

/// Whether the user's locale (LC_ALL, LC_CTYPE, LANG) leaves characters outside ASCII to terminals: it is one of UTF-8,
/// or none is named.
[[nodiscard]] bool shows_unicode();

/// UTF-8 in ASCII: "×" is "x", "–" is "-", "…" is "...", "°" nothing; what has no likeness is "?". Blanks after what
/// became longer make up for it, but for the last one, so that columns stay below each other.
[[nodiscard]] std::string ascii_text(std::string_view text);

/// The text as the terminal behind a descriptor shows it: in ASCII where the locale has nothing else. As it is where
/// there is no terminal.
[[nodiscard]] std::string shown_on(int descriptor, std::string_view text);

/// One line that fits into `columns`: without its last parts, which commas divide, or else cut off, with "…" at the
/// end.
[[nodiscard]] std::string fitted(std::string_view line, std::size_t columns);

/// Lines that are too long are broken at blanks, and go on below where their text begins: after a first column that
/// blanks set apart, or else after the line's own indent and two blanks. Words that are too long stay whole.
[[nodiscard]] std::string wrapped(std::string_view lines, std::size_t columns);

}  // namespace gpuminer
