// Passwords: the options that contain one, their sources, and the other users who may see them.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace gpuminer {

/// Whether the value of the option ("--pass", "--userpass", "--proxy", "--node", "--webhook") has a password in it.
/// "x", which pools want that have none, is no secret.
[[nodiscard]] bool is_secret(const std::string& option, const std::string& value);

/// The option's value as others may see it: a password, a URL's login, a webhook's path, a hook's command as ***.
[[nodiscard]] std::string without_secrets(const std::string& option, const std::string& value);

/// The first line of a file, or of standard input ("-"). Throws InputError, which does not repeat it, where there is
/// none of 1 to 1024 bytes.
[[nodiscard]] std::string read_password(const std::string& path);

/// What the user is to be told where all users of this machine may read the file that has `what` in it; empty: nothing.
[[nodiscard]] std::optional<std::string> readable_by_others(const std::string& path, const std::string& what);

/// Overwrites these values in the words of the command line, from which the list of processes shows them to every user.
void hide(std::span<char* const> words, std::span<const std::string> values);

}  // namespace gpuminer
