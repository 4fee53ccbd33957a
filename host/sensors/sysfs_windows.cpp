// There are no such files here.
#include <cerrno>

#include "host/sensors/sysfs.hpp"

namespace gpuminer {

std::optional<std::string> sysfs_line(const std::filesystem::path& /*file*/) {
    errno = ENOENT;
    return std::nullopt;
}

std::optional<std::int64_t> sysfs_number(const std::filesystem::path& /*file*/) {
    errno = ENOENT;
    return std::nullopt;
}

}  // namespace gpuminer
