// A file that is open keeps its name and place: so PATH is open only while it is read or written, and whoever has
// PATH.lock open, which nobody else can open and which goes with its process, has the checkpoint.
#include "host/checkpoint/checkpoint_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "host/checkpoint/checkpoint.hpp"
#include "host/errors.hpp"
#include "host/files/lock_file.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhat = "the checkpoint";

/// PATH.new
fs::path next_of(const fs::path& path) { return fs::path(path) += ".new"; }

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

File lock_of(const fs::path& path) {
    File lock = take_lock_file(path, kWhat);
    if (!lock.is_open()) throw InputError(fmt::format("another process uses the checkpoint {}", shown_path(path)));
    return lock;
}

/// PATH.new with the text in it, on disk and closed; one that a killed process has left is taken.
void write_next(const fs::path& path, std::string_view text) {
    if (text.size() > kLongestCheckpoint) {
        throw InputError(fmt::format("cannot write {} {}: it would have more than {} bytes", kWhat, shown_path(path),
                                     kLongestCheckpoint));
    }
    const fs::path next = next_of(path);
    const File file = open_own_file(next, Make::kIfMissing, kWhat);
    empty_file(file, next);
    write_to_disk(file, text, next);
}

void write_and_rename(const fs::path& path, std::string_view text) {
    const fs::path next = next_of(path);
    try {
        write_next(path, text);
    } catch (const InputError&) {
        unlink_file(next);
        throw;
    }
    try {
        replace_file(path, next, kWhat);
    } catch (const InputError& error) {  // somebody has it open, say
        throw InputError(fmt::format("{}; the newest progress is in {}", error.what(), shown_path(next)));
    }
}

void refuse_existing(const fs::path& path) {
    if (is_there(path)) {
        throw InputError(
            fmt::format("expected a new file for {}, but {} exists; --resume continues it", kWhat, shown_path(path)));
    }
}

}  // namespace

CheckpointFile CheckpointFile::create(fs::path path, std::string_view text) {
    refuse_existing(path);
    File lock = lock_of(path);
    refuse_existing(path);  // of those who begin at once, the one that has the lock is first
    write_and_rename(path, text);
    return {std::move(path), std::move(lock)};
}

CheckpointFile CheckpointFile::open(fs::path path) {
    if (!is_there(path)) {
        errno = ENOENT;
        fail_with_errno(fmt::format("open {}", kWhat), path);
    }
    File lock = lock_of(path);
    (void)open_own_file(path, Make::kNever, kWhat);  // a regular file, and one that can be read and written
    return {std::move(path), std::move(lock)};
}

std::string CheckpointFile::read() const {
    const File file = open_own_file(path_, Make::kNever, kWhat);
    if (!file.is_open()) {
        errno = ENOENT;
        fail_with_errno(fmt::format("read {}", kWhat), path_);
    }
    const std::size_t size = size_of(file, path_);
    if (size > kLongestCheckpoint) {
        throw InputError(fmt::format("expected a checkpoint of at most {} bytes, but {} has {}", kLongestCheckpoint,
                                     shown_path(path_), size));
    }
    return read_at(file, 0, size, path_);
}

void CheckpointFile::write(std::string_view text) { write_and_rename(path_, text); }

}  // namespace gpuminer
