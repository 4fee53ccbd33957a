#include <io.h>

#include <cerrno>

#include "host/system/access.hpp"

namespace gpuminer {

std::error_code access_error(const std::filesystem::path& path, FileAccess wanted) {
    constexpr int kReadable = 4, kReadableAndWritable = 6;  // as the C library's documentation has them
    const int mode = wanted == FileAccess::kRead ? kReadable : kReadableAndWritable;
    return ::_waccess(path.c_str(), mode) == 0 ? std::error_code() : std::error_code(errno, std::generic_category());
}

}  // namespace gpuminer
