// A TOML 1.0 configuration file parsed into names, and their values as texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuminer {

struct TomlEntry {
    std::string name;
    unsigned line = 0;                     ///< where its value begins, from 1
    std::vector<std::string> values = {};  ///< numbers, dates and truth values as they are written: 0x10, 1e-9, 1_000
    /// Neither a value nor a list of values: a table, or a list with lists or tables in it.
    bool nested = false;
};

struct TomlFile {
    std::vector<TomlEntry> entries = {};  ///< as they follow each other
    unsigned wrong_line = 0;              ///< the first that is no TOML; 0: all are
};

/// A value, for what is after an option's sign: a number as it is where TOML takes it (not 007), else a text: 'C:\x'
/// where that spares backslashes, and what a reader would not see as its number.
[[nodiscard]] std::string as_toml(std::string_view value);

/// `text` begins with no byte order mark.
[[nodiscard]] TomlFile read_toml(std::string_view text);

}  // namespace gpuminer
