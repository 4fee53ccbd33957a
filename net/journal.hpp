// An append-only file of JSON lines. What append() has been given is on the disk when it returns, so that neither a
// crash nor a power cut loses it.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpuminer::net {

class Journal {
public:
    /// Opens the file or creates it (readable by its owner only, as its folder); large ones are moved aside first, to
    /// "NAME.1". Held with a lock: where another process has it, "NAME-2" and so on is taken, so that no two miners
    /// believe each other's shares to be their own. Throws InputError with the system's reason.
    explicit Journal(const std::filesystem::path& path);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// The file that was opened.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// What earlier runs wrote, oldest first. A last line that a crash cut off, or any other that is no JSON object,
    /// is left out.
    [[nodiscard]] const std::vector<nlohmann::json>& earlier() const { return earlier_; }
    /// One line, then fsync. Throws InputError with the system's reason (disk full, …). One thread at a time.
    void append(const nlohmann::json& entry);

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::vector<nlohmann::json> earlier_;
};

/// $XDG_STATE_HOME/gpuminer/NAME.jsonl, by default ~/.local/state/gpuminer/NAME.jsonl. Throws InputError where neither
/// HOME nor XDG_STATE_HOME is set.
[[nodiscard]] std::filesystem::path default_journal_path(std::string_view name);

}  // namespace gpuminer::net
