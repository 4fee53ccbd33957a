// A file that is open keeps its name and place: it is closed to be renamed or replaced, and whoever has PATH.lock has
// it.
#include <system_error>

#include "host/errors.hpp"
#include "host/files/lock_file.hpp"
#include "net/journal/held_file.hpp"

namespace gpuminer::net {

namespace fs = std::filesystem;

std::optional<HeldFile> HeldFile::open(const fs::path& path, Make make, const char* what) {
    std::error_code ignored;
    if (make == Make::kNever && !fs::exists(fs::symlink_status(path, ignored))) return std::nullopt;
    File lock = take_lock_file(path, what);
    if (!lock.is_open()) return std::nullopt;
    File file = open_own_file(path, make, what);
    if (!file.is_open()) return std::nullopt;
    return HeldFile(path, std::move(lock), std::move(file));
}

/// Opened again where it could not be after an attempt to replace it: a virus scanner may have had it just then.
const File& HeldFile::file() {
    if (!file_.is_open()) file_ = open_own_file(path_, Make::kIfMissing, lock_.what());
    return file_;
}

void HeldFile::rename(const fs::path& name) {
    file_ = File();
    try {
        replace_file(name, path_, lock_.what());
    } catch (const InputError&) {
    }
}

void HeldFile::replace(std::string_view text, const std::function<void()>& before) {
    const char* const what = lock_.what();
    const fs::path next = fs::path(path_) += ".new";
    unlink_file(next);  // left by a crash
    try {
        write_to_disk(open_own_file(next, Make::kAlways, what), text, next);
        file_ = File();
        before();
        replace_file(path_, next, what);
    } catch (const InputError&) {
        unlink_file(next);
        throw;
    }
}

}  // namespace gpuminer::net
