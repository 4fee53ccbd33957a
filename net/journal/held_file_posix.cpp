#include <fmt/format.h>

#include <system_error>

#include "host/errors.hpp"
#include "net/journal/held_file.hpp"

namespace gpuminer::net {

namespace fs = std::filesystem;

std::optional<HeldFile> HeldFile::open(const fs::path& path, Make make, const char* what) {
    for (;;) {
        File file = open_own_file(path, make, what);
        if (!file.is_open() || !lock_file(file, path)) return std::nullopt;
        // Another process may have moved the file aside between the opening and the locking.
        if (has_name(file, path)) return HeldFile(path, File(), std::move(file));
    }
}

const File& HeldFile::file() { return file_; }

void HeldFile::rename(const fs::path& name) {
    std::error_code ignored;
    fs::rename(path_, name, ignored);
}

void HeldFile::replace(std::string_view text, const std::function<void()>& before) {
    const char* const what = file_.what();
    const fs::path next = fs::path(path_) += ".new";
    unlink_file(next);  // left by a crash: who writes this file holds the lock of the one to be replaced
    File file = open_own_file(next, Make::kAlways, what);
    try {
        if (!lock_file(file, next)) fail_with_errno(fmt::format("lock {}", what), next);
        write_to_disk(file, text, next);
        before();
        replace_file(path_, next, what);
    } catch (const InputError&) {
        unlink_file(next);
        throw;
    }
    file_ = std::move(file);
}

}  // namespace gpuminer::net
