// A file that one process at a time has, and that another one can take the place of.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "host/files/own_file.hpp"

namespace gpuminer::net {

/// A regular file of this user, until the end of this object or process. All of these throw InputError.
class HeldFile {
public:
    /// Empty: another process has it, or there is none and it is not to be made. `what` it is, for messages.
    [[nodiscard]] static std::optional<HeldFile> open(const std::filesystem::path& path, Make make, const char* what);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// For reading and appending.
    [[nodiscard]] const File& file();
    /// No error where it cannot. It has another name then, and nothing is written to it any more.
    void rename(const std::filesystem::path& name);
    /// In one step: at any moment `path` names a file, the one before or another with this text, which this process
    /// then has. `before` is called when that is on disk. Where it throws, the file is the one before.
    void replace(std::string_view text, const std::function<void()>& before);

private:
    HeldFile(std::filesystem::path path, File lock, File file)
        : path_(std::move(path)), lock_(std::move(lock)), file_(std::move(file)) {}

    std::filesystem::path path_;
    File lock_;  ///< on Windows PATH.lock; POSIX has locks on files themselves
    File file_;
};

}  // namespace gpuminer::net
