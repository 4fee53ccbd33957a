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
        std::string name = (std::filesystem::temp_directory_path() / "gpuminer-test-XXXXXX").string();
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
