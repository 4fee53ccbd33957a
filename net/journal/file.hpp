// The journal on disk: JSON lines in a file that one process at a time has, rotated when it grows large.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/journal/held_file.hpp"
#include "net/steady_time.hpp"

namespace gpuminer::net {

class OpenEntries;

/// What the journal's thread does with the disk; each call may take for ever. Tests play one.
class JournalStore {
public:
    virtual ~JournalStore() = default;
    JournalStore() = default;
    JournalStore(const JournalStore&) = delete;
    JournalStore& operator=(const JournalStore&) = delete;

    /// Called first, once. Returns what earlier runs left open (entries.hpp). Throws InputError with the reason. Ends
    /// early, with any result, once a stop is requested: what is read at the start is of no use then.
    [[nodiscard]] virtual std::vector<nlohmann::json> open(const std::stop_token& stop) = 0;
    /// The file's name, once it is open.
    [[nodiscard]] virtual std::filesystem::path path() const = 0;
    /// Whole lines, with their ends. They are on disk when it returns. Throws InputError (disk full, …).
    virtual void append(std::string_view lines) = 0;
};

struct JournalLimits {
    /// Bytes; a longer file is rotated: it becomes NAME.1, NAME.1 becomes NAME.2, and so on. The new one begins with
    /// the totals and what is open.
    std::size_t file = std::size_t{8} << 20;
    int kept = 3;  ///< files beside the current one
    /// Bytes read at a start, of all files together and of the end of each; what is older has long been answered.
    std::size_t read = std::size_t{64} << 20;
};

/// A regular file of this user. Where another process has it, "NAME-2" and so on is taken, so that no two miners take
/// each other's shares for their own; of these only such as this program made. What is open in those that no process
/// has any more (two miners ran, and were killed) is taken over, and they are moved aside, to "NAME-2.1".
class JournalFile final : public JournalStore {
public:
    explicit JournalFile(std::filesystem::path path, const JournalLimits& limits = {})
        : wanted_(std::move(path)), path_(wanted_), limits_(limits), rotate_at_(limits.file) {}

    std::vector<nlohmann::json> open(const std::stop_token& stop) override;
    [[nodiscard]] std::filesystem::path path() const override { return path_; }
    void append(std::string_view lines) override;

private:
    void open_free();
    /// `budget`: bytes that may still be read.
    [[nodiscard]] std::vector<nlohmann::json> take_over(int number, std::size_t& budget, const std::stop_token& stop);
    void write(std::string_view text);
    void rotate_if_large();
    void replace();
    void move_aside();

    const std::filesystem::path wanted_;
    std::filesystem::path path_;  // wanted_, or the same with a number
    const JournalLimits limits_;
    std::optional<HeldFile> held_;
    std::size_t size_ = 0;        // bytes
    bool within_a_line_ = false;  // a crash or a full disk has cut the last line off
    std::size_t rotate_at_;       // bytes
    unsigned failures_ = 0;       // to rotate it, since the last success
    SteadyTime next_attempt_{};   // to rotate it
    std::string full_;            // why nothing is written any more; empty: all is
};

/// NAME.jsonl in state_folder(). Throws InputError where there is none.
[[nodiscard]] std::filesystem::path default_journal_path(std::string_view name);

}  // namespace gpuminer::net
