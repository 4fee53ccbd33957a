// A folder of its own for a test, gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace gpuminer::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        // In memory, if there is such a place: a disk may take seconds for an fsync, and nobody waits so long for it.
        const std::filesystem::path memory = "/dev/shm";
        const auto place = ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
        std::string name = (place / "gpuminer-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + name);
        path_ = name;
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
