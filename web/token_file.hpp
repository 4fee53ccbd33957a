// The file with the token that authorises changes over HTTP, and reads from other machines.
#pragma once

#include <filesystem>
#include <string>

namespace gpuminer::web {

/// The first line of the file, at least 16 printable characters without blanks. Where there is none, it is made,
/// readable by its owner only, with 64 hex digits from the system's random numbers. Throws InputError where it cannot
/// be read or made (then none is left behind), where it is another user's or others may read it, or where it has no
/// such line.
[[nodiscard]] std::string read_or_make_token(const std::filesystem::path& path);
/// The same of a running miner's file: none is made, and root reads that of the miner's user.
[[nodiscard]] std::string read_token(const std::filesystem::path& path);

}  // namespace gpuminer::web
