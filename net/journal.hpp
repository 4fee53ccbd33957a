// The journal: an append-only file of JSON lines. An entry is on the disk when append() returns, so that neither a
// crash nor a power cut loses it.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/mutex.hpp"

namespace gpuminer::net {

class Journal {
public:
    /// Those of the entries that must outlive the file (journal_entries.hpp).
    using StillOpen = std::function<std::vector<nlohmann::json>(const std::vector<nlohmann::json>&)>;

    /// Opens the file or creates it (readable by its owner only, as its folder). Held with a lock: where another
    /// process has it, "NAME-2" and so on is taken, so that no two miners take each other's shares for their own.
    /// A large file is moved aside, to "NAME.1", and the new one begins with what `still_open` returns (without it, no
    /// file is moved). What is no regular file, such as /dev/null, is neither locked nor moved. Throws InputError with
    /// the system's reason.
    /// What `still_open` returns for files of other numbers that no process holds (two miners ran, and were killed) is
    /// taken over, as if it stood in this file, and they are moved aside.
    explicit Journal(const std::filesystem::path& path, const StillOpen& still_open = {});
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// The file that was opened.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// What earlier runs wrote, oldest first. A last line that a crash cut off, or any other that is no JSON object,
    /// is left out.
    [[nodiscard]] const std::vector<nlohmann::json>& earlier() const { return earlier_; }
    /// Gives their memory back.
    void forget_earlier();
    /// Writes one line, then fsync. From any thread. Throws InputError with the system's reason (disk full, …).
    void append(const nlohmann::json& entry);

private:
    void take_over(const std::filesystem::path& abandoned, const StillOpen& still_open);

    std::filesystem::path path_;
    Mutex append_mutex_;  ///< held while a line is written; a leaf
    int descriptor_ = -1;
    std::vector<nlohmann::json> earlier_;
};

/// $XDG_STATE_HOME/gpuminer/NAME.jsonl, by default ~/.local/state/gpuminer/NAME.jsonl. Throws InputError where neither
/// HOME nor XDG_STATE_HOME is set.
[[nodiscard]] std::filesystem::path default_journal_path(std::string_view name);

}  // namespace gpuminer::net
