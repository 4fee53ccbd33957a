// Regular files of this user, opened without following a symbolic link and without waiting for another process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace gpuminer {

/// A file descriptor, closed at the end.
class File {
public:
    /// `what` it is, for messages: "the journal".
    explicit File(int descriptor = -1, const char* what = "the file") : descriptor_(descriptor), what_(what) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), what_(other.what_) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(what_, other.what_);
        return *this;
    }
    ~File();
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] int get() const { return descriptor_; }
    [[nodiscard]] const char* what() const { return what_; }

private:
    int descriptor_;
    const char* what_;
};

/// The path in quotes, as messages show it.
[[nodiscard]] std::string shown_path(const std::filesystem::path& path);
// All of these throw InputError with the system's reason; `path` is for the message.

/// "cannot <deed> 'path': the reason"; `deed`: "open the journal".
[[noreturn]] void fail_with_errno(const std::string& deed, const std::filesystem::path& path);

enum class Make { kNever, kIfMissing, kAlways };
/// Opens for reading and appending, readable by its owner only from now on. Not open: there is none, and Make::kNever.
/// InputError, too, for what is no regular file of this user (neither a pipe nor a device is opened), and where there
/// is one, with Make::kAlways. `what` it is, for messages.
[[nodiscard]] File open_own_file(const std::filesystem::path& path, Make make, const char* what);
/// Opens for reading what no other user can have written or put there: the file and its folder belong to this user, who
/// alone may write them. Not open: there is none. InputError for others, and for what is no regular file.
[[nodiscard]] File open_private_file(const std::filesystem::path& path, const char* what);
/// Windows: opens for reading, whoever's it is. Not open: there is none. InputError for what is no regular file.
[[nodiscard]] File open_file_to_read(const std::filesystem::path& path, const char* what);
/// POSIX (on Windows: lock_file.hpp): takes the file's lock (flock), which ends with the process. False: another
/// process has it.
[[nodiscard]] bool lock_file(const File& file, const std::filesystem::path& path);
/// Who can read this regular file beside its user, as a sentence begins: "every user of this machine". Empty: nobody,
/// as far as can be told.
[[nodiscard]] std::string who_else_reads(const std::filesystem::path& path);
/// The command that closes a file to others, in backquotes, for messages.
[[nodiscard]] const char* closing_command();
/// Waits for the file's lock; a file system without locks is no error.
void wait_for_lock(const File& file);
/// Bytes.
[[nodiscard]] std::size_t size_of(const File& file, const std::filesystem::path& path);
/// POSIX: whether `path` is (still) the name of this file.
[[nodiscard]] bool has_name(const File& file, const std::filesystem::path& path);

/// At most `count` bytes; fewer at the file's end.
[[nodiscard]] std::string read_at(const File& file, std::size_t from, std::size_t count,
                                  const std::filesystem::path& path);
/// Takes its content away.
void empty_file(const File& file, const std::filesystem::path& path);
void write_text(const File& file, std::string_view text, const std::filesystem::path& path);
/// Returns when the text is on disk.
void write_to_disk(const File& file, std::string_view text, const std::filesystem::path& path);
/// In one step: at any moment `path` names a file, the one before or this one. `what` it is, for messages.
void replace_file(const std::filesystem::path& path, const std::filesystem::path& fresh, const char* what);
/// No error where it is not there or stays; a folder stays.
void unlink_file(const std::filesystem::path& path);

[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);
/// Makes the folder and those above it that are missing, for the user alone.
void make_folders(const std::filesystem::path& folder);
/// The same; one that is there is closed to other users' writing. Throws InputError where it is another user's.
void make_private_folder(const std::filesystem::path& folder);
/// Without it a power cut may lose a new file's or folder's name. Some file systems cannot do it; on them the risk
/// remains.
void sync_folder(const std::filesystem::path& folder);

}  // namespace gpuminer
