// Rounds of operating system primitives (threads, processes, files, memory), by the method of the osbench suite: all
// are started, then all ended.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gpuminer::bench {

// Each returns seconds of steady_clock for all of them together, and leaves nothing behind, however it ends. Throws
// InputError where the system does not allow so many, and Interrupted.

/// From the first creation to the last join; the threads do nothing.
[[nodiscard]] double create_threads(std::size_t count, const std::stop_token& stop);

/// From the first fork() to the last waitpid(); the children leave at once. On Windows they are of this program, and
/// are ended before they run.
[[nodiscard]] double create_processes(std::size_t count, const std::stop_token& stop);

/// From the first fork() to the last waitpid(); the children run `program`, a path (on Windows a command line), with an
/// empty signal mask. Throws InputError where one of them ends with another exit code than 0, too.
[[nodiscard]] double launch_programs(const std::string& program, std::size_t count, const std::stop_token& stop);

/// What the clock covers of the two, for people: no whole sentence.
extern const char* const kProcessesText;

/// POSIX systems: the first executable file of that name in the folders of PATH.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);
/// For launch_programs(): `true`, the first of PATH, which does nothing; on Windows the shell, which has nothing to do.
[[nodiscard]] std::optional<std::string> trivial_program();
/// Why there is none, in words.
extern const char* const kNoTrivialProgram;

struct FileSeconds {
    double creating;
    double deleting;
    std::size_t files;  ///< so many were made
};
/// Files of 32 bytes in a new folder under `parent`: opened, written, closed; then, timed apart, deleted. More than
/// kFilesAtATime are made in several folders, one after the other: so many are gone quickly when the user stops. At
/// least one, and no more once creating them has taken `longest` seconds.
inline constexpr std::size_t kFilesAtATime = 16'384;
[[nodiscard]] FileSeconds create_files(const std::filesystem::path& parent, std::size_t count,
                                       const std::stop_token& stop,
                                       double longest = std::numeric_limits<double>::infinity());

/// TMPDIR, or /tmp; on Windows TMP, TEMP, or what it has instead.
[[nodiscard]] std::filesystem::path folder_for_files();
/// "ext4", "tmpfs", "NTFS", …; the number in statfs(2) for one that has no name here. Throws InputError.
[[nodiscard]] std::string file_system_of(const std::filesystem::path& folder);
/// How many small files there is room for. Throws InputError.
[[nodiscard]] double room_for_files(const std::filesystem::path& folder);

/// Blocks of 4 to 128 bytes: allocated one after the other, a byte of each written, then freed in the same order.
/// `blocks` keeps their addresses; its size is their number.
[[nodiscard]] double allocate_blocks(std::vector<void*>& blocks, const std::stop_token& stop);

}  // namespace gpuminer::bench
