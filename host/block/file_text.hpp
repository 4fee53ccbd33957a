// The whole text of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gpuminer {

enum class FileKind {
    kRegular,  ///< nothing that may have to be waited for: a pipe, a terminal, a device
    kAny,      ///< a pipe, too: a shell's <(…)
};

struct FileText {
    std::string text;
    std::string failure;  ///< why it cannot be read, as the end of a sentence: "it is a directory"; empty: it was read
};

/// A file of at most `longest` bytes. With kRegular it waits for nobody but the disk.
[[nodiscard]] FileText read_file(const std::filesystem::path& path, std::size_t longest, FileKind kind);

}  // namespace gpuminer
