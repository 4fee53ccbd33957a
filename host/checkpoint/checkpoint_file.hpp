// The file of a checkpoint: written whole or not at all, and had by one process at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "host/files/own_file.hpp"

namespace gpuminer {

/// A regular file of this user. Whoever has its lock (flock) writes it: each text into PATH.new, which is locked, too,
/// and then takes its name and place, so that there is at any moment one whole text on disk.
class CheckpointFile {
public:
    /// A new file. Throws InputError where there is one of this name already, and where it cannot be written.
    [[nodiscard]] static CheckpointFile create(std::filesystem::path path, std::string_view text);
    /// Opens one that is there, and locks it. Throws InputError, also where another process has it.
    [[nodiscard]] static CheckpointFile open(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Throws InputError.
    [[nodiscard]] std::string read() const;
    /// Returns when the text is on disk. Throws InputError (disk full, …): then the text before is still there.
    void write(std::string_view text);

private:
    CheckpointFile(std::filesystem::path path, File file) : path_(std::move(path)), file_(std::move(file)) {}

    std::filesystem::path path_;
    File file_;
};

}  // namespace gpuminer
