#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/files/access_list.hpp"
#include "host/files/own_file.hpp"
#include "host/text/text.hpp"
#include "web/token_file_access.hpp"

namespace gpuminer::web {
namespace {

constexpr const char* kWhat = "the token's file";

}  // namespace

std::optional<std::string> read_token_file(const std::filesystem::path& path, bool /*for_root*/) {
    const File file = open_file_to_read(path, kWhat);
    if (!file.is_open()) return std::nullopt;
    const Rights rights(file);
    if (const std::string owner = rights.other_owner(); !owner.empty()) {
        throw InputError(fmt::format("--http-token-file: expected a file of this user, got {}, which belongs to {}",
                                     shown_path(path), quoted_text(owner)));
    }
    if (const std::string other = rights.other_user(Use::kAny); !other.empty()) {
        throw InputError(
            fmt::format("--http-token-file: expected a file that only its owner may read and write, got {}, which is "
                        "open to {}: {} mends that",
                        shown_path(path), quoted_text(other), closing_command()));
    }
    return read_at(file, 0, kLongestToken + 1, path);
}

void make_token_file(const std::filesystem::path& path, const std::string& text) {
    make_folders(folder_of(path));
    File file = open_own_file(path, Make::kAlways, kWhat);
    try {
        write_to_disk(file, text, path);
    } catch (const InputError&) {
        file = File();  // one that is open keeps its name
        unlink_file(path);
        throw;
    }
}

}  // namespace gpuminer::web
