// A folder of its own for a test, gone afterwards.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gpuminer::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        // In memory, if there is such a place: a disk may take seconds for an fsync, and nobody waits so long for it.
        namespace fs = std::filesystem;
        const std::string name = "gpuminer-test-" + std::to_string(std::random_device()());
        for (const fs::path& place : {fs::path("/dev/shm"), fs::temp_directory_path()}) {
            std::error_code ignored;
            path_ = place / name;
            if (!fs::create_directory(path_, ignored)) continue;
            fs::permissions(path_, fs::perms::owner_all);
            return;
        }
        throw std::runtime_error("cannot make a folder like " + path_.string());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Writes a file below the folder, and makes the folders that lead there.
    void write(const std::string& relative_path, const std::string& text) const {
        const std::filesystem::path path = path_ / relative_path;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream file(path);
        file << text;
        if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
    }

private:
    std::filesystem::path path_;
};

}  // namespace gpuminer::test
