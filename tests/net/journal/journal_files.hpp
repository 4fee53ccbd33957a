// Files of journals, as tests make them and look at them.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/journal/file.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

inline std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The entries of a file, without its first one.
inline std::vector<nlohmann::json> entries_of(const std::filesystem::path& path) {
    std::vector<nlohmann::json> entries;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
        if (entry.is_object() && entry["event"] != "journal") entries.push_back(std::move(entry));
    }
    return entries;
}

inline mode_t permissions(const std::filesystem::path& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

/// A journal's file, opened. `left_open`: by what was written before.
struct OpenedFile {
    explicit OpenedFile(const std::filesystem::path& path, const net::JournalLimits& limits = {})
        : file(path, limits), left_open(file.open({})) {}

    void append(const nlohmann::json& entry) { file.append(entry.dump() + "\n"); }

    net::JournalFile file;
    std::vector<nlohmann::json> left_open;
};

}  // namespace gpuminer::test
