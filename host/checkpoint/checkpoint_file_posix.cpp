#include "host/checkpoint/checkpoint_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>

#include "host/checkpoint/checkpoint.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhat = "the checkpoint";

fs::path next_path(const fs::path& path) { return path.native() + ".new"; }

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

/// Not open: there is none, and Make::kNever.
File open_locked(const fs::path& path, Make make) {
    for (;;) {
        File file = open_own_file(path, make, kWhat);
        if (!file.is_open()) return file;
        if (!lock_file(file, path)) {
            throw InputError(fmt::format("another process uses the checkpoint {}", shown_path(path)));
        }
        // Its name may have become another file's between the opening and the locking.
        if (has_name(file, path)) return file;
    }
}

/// PATH.new with the text in it, on disk; one that a killed process has left is taken.
File write_next(const fs::path& path, std::string_view text) {
    if (text.size() > kLongestCheckpoint) {
        throw InputError(fmt::format("cannot write {} {}: it would have more than {} bytes", kWhat, shown_path(path),
                                     kLongestCheckpoint));
    }
    const fs::path next = next_path(path);
    File file = open_locked(next, Make::kIfMissing);
    try {
        empty_file(file, next);
        write_to_disk(file, text, next);
    } catch (const InputError&) {
        unlink_file(next);
        throw;
    }
    return file;
}

void rename_next(const fs::path& path) {
    replace_file(path, next_path(path), kWhat);
    sync_folder(folder_of(path));
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
    File file = write_next(path, text);
    try {
        refuse_existing(path);  // of those who begin at once, the one that has locked PATH.new is first
    } catch (const InputError&) {
        unlink_file(next_path(path));
        throw;
    }
    rename_next(path);
    return {std::move(path), std::move(file)};
}

CheckpointFile CheckpointFile::open(fs::path path) {
    File file = open_locked(path, Make::kNever);
    if (!file.is_open()) {
        errno = ENOENT;
        fail_with_errno(fmt::format("open {}", kWhat), path);
    }
    return {std::move(path), std::move(file)};
}

std::string CheckpointFile::read() const {
    const std::size_t size = size_of(file_, path_);
    if (size > kLongestCheckpoint) {
        throw InputError(fmt::format("expected a checkpoint of at most {} bytes, but {} has {}", kLongestCheckpoint,
                                     shown_path(path_), size));
    }
    return read_at(file_, 0, size, path_);
}

void CheckpointFile::write(std::string_view text) {
    File file = write_next(path_, text);
    rename_next(path_);
    file_ = std::move(file);  // has had the lock before it had the name
}

}  // namespace gpuminer
