// Access control lists of Windows' files.
#pragma once

#include <filesystem>
#include <string>

#include "host/files/own_file.hpp"

struct _ACL;  // of windows.h

namespace gpuminer {

// What these make is the user's and the system's alone, whatever its folder hands on; on another machine's share it has
// what rights things there get. They fail, with the reason in errno, where something has the name already.

/// A descriptor for reading and appending; -1: it failed.
[[nodiscard]] int make_file_for_user(const std::filesystem::path& path);
[[nodiscard]] bool make_folder_for_user(const std::filesystem::path& folder);

/// Whether it is another machine's, to which this user may be another one: a list that names this one could lock him
/// out.
[[nodiscard]] bool is_on_a_share(const std::filesystem::path& path);

enum class Use { kReading, kWriting, kAny };
/// Whose a file or folder is, and its access control list. Of no account: administrators and the system, who have all
/// rights anyway.
class Rights {
public:
    explicit Rights(const File& file);
    explicit Rights(const std::filesystem::path& folder);
    ~Rights();
    Rights(const Rights&) = delete;
    Rights& operator=(const Rights&) = delete;

    /// Whose it is, if not this user's: "NAME-OF-MACHINE\\name". Empty: it is, or the file system keeps no owners.
    [[nodiscard]] std::string other_owner() const;
    /// Somebody else who may use it so, or may give himself the right to: "Everyone". Empty: nobody. Where the file
    /// system keeps no such lists, everybody may.
    [[nodiscard]] std::string other_user(Use use) const;

private:
    void* owner_ = nullptr;
    _ACL* list_ = nullptr;
    void* memory_ = nullptr;  // of both
    const bool known_;
};

// Take the rights of all others away; no error where the user may not, or the file system keeps none.
void close_to_others(const File& file);
void close_folder_to_others(const std::filesystem::path& folder);

}  // namespace gpuminer
