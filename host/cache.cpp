#include "host/cache.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

/// FNV-1a, 64 bits: names a file; its content says whether it is the right one.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::optional<fs::path> cache_folder() {
    const auto absolute = [](const char* name) -> std::optional<fs::path> {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value != '/') return std::nullopt;  // the XDG specification has others ignored
        return fs::path(value);
    };
    if (const auto cache = absolute("XDG_CACHE_HOME")) return *cache / "gpuminer";
    if (const auto home = absolute("HOME")) return *home / ".cache" / "gpuminer";
    return std::nullopt;
}

/// The head of a cache file. `key` may hold whatever a driver calls itself. The content's hash keeps damaged binaries
/// from drivers, some of which end the process over them (PoCL).
std::string head_of(std::string_view key, std::string_view content) {
    std::string head(key);
    for (char& c : head) {
        if (c == '\n' || c == '\0') c = ' ';
    }
    return fmt::format("{}\n{} {:016x}\n", head, content.size(), hash_of(content));
}

}  // namespace

std::optional<fs::path> cache_file(std::string_view kind, std::string_view key) {
    const auto folder = cache_folder();
    if (!folder) return std::nullopt;
    return *folder / fmt::format("{}-{:016x}", kind, hash_of(key));
}

std::optional<std::string> read_cache(std::string_view kind, std::string_view key) {
    const auto path = cache_file(kind, key);
    if (!path) return std::nullopt;
    std::ifstream file(*path, std::ios::binary);
    std::ostringstream whole;
    whole << file.rdbuf();  // unlike an iterator, does not throw where reading fails (a folder, a broken disk)
    const std::string text = whole.str();
    const std::size_t key_end = text.find('\n');
    const std::size_t head_end = key_end == std::string::npos ? key_end : text.find('\n', key_end + 1);
    if (head_end == std::string::npos) return std::nullopt;
    std::string content = text.substr(head_end + 1);
    if (text.compare(0, head_end + 1, head_of(key, content)) != 0) return std::nullopt;
    return content;
}

void write_cache(std::string_view kind, std::string_view key, std::string_view content) {
    const auto path = cache_file(kind, key);
    if (!path) return;
    std::error_code error;
    fs::create_directories(path->parent_path(), error);
    // Always the same name, so that a process that ends in here leaves no more than one. What two that write at once
    // make of it, its hash gives away.
    fs::path beside = *path;
    beside += ".new";
    {
        std::ofstream file(beside, std::ios::binary);
        file << head_of(key, content) << content;
        file.close();
        if (!file) {
            fs::remove(beside, error);
            return;
        }
    }
    fs::rename(beside, *path, error);
    if (error) fs::remove(beside, error);
}

}  // namespace gpuminer
