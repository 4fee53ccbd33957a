#include "host/files/cache.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "host/errors.hpp"
#include "host/files/own_file.hpp"
#include "host/system/folders.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhat = "a file of the cache";

/// FNV-1a, 64 bits: names a file; its content says whether it is the right one.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
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

/// Empty: it cannot be used. What a driver loads as code is in some, so that no other user may have had a hand in it.
std::string text_of(const fs::path& path) {
    constexpr std::size_t kLongest = std::size_t{64} << 20;  // bytes; a program for a GPU has less than 2 MB
    try {
        const File file = open_private_file(path, kWhat);
        if (!file.is_open()) return "";
        const std::size_t size = size_of(file, path);
        return size > kLongest ? "" : read_at(file, 0, size, path);
    } catch (const InputError&) {
        return "";
    }
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
    const std::string text = text_of(*path);
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
    // Always the same name, so that a process that ends in here leaves no more than one. What two that write at once
    // make of it, its hash gives away.
    fs::path beside = *path;
    beside += ".new";
    std::error_code error;
    try {
        make_private_folder(path->parent_path());
        fs::remove(beside, error);
        write_text(open_own_file(beside, Make::kAlways, kWhat), head_of(key, content) + std::string(content), beside);
        fs::rename(beside, *path);
    } catch (const std::runtime_error&) {  // InputError, or of the renaming
        fs::remove(beside, error);
    }
}

}  // namespace gpuminer
