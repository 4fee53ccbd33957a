#include "host/sensors/sysfs.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <system_error>

namespace gpuminer {

std::optional<std::string> sysfs_line(const std::filesystem::path& file) {
    constexpr int kLongest = 256;  // bytes; these files hold a word or a number
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "re"), std::fclose);
    char line[kLongest];
    errno = stream ? 0 : errno;
    if (!stream || std::fgets(line, sizeof(line), stream.get()) == nullptr) return std::nullopt;
    std::string text(line);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::optional<std::int64_t> sysfs_number(const std::filesystem::path& file) {
    const std::optional<std::string> text = sysfs_line(file);
    if (!text) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc{} && end == text->data() + text->size()) return value;
    errno = 0;
    return std::nullopt;
}

}  // namespace gpuminer
