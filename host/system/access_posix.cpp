#include <unistd.h>

#include <cerrno>

#include "host/system/access.hpp"

namespace gpuminer {

std::error_code access_error(const std::filesystem::path& path, FileAccess wanted) {
    const int mode = wanted == FileAccess::kRead ? R_OK : R_OK | W_OK;
    return ::access(path.c_str(), mode) == 0 ? std::error_code() : std::error_code(errno, std::generic_category());
}

}  // namespace gpuminer
