// The journal's queue: entries on their way to the disk, and how long the disk is waited for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "net/steady_time.hpp"

namespace gpuminer::net {

/// How long the disk is waited for. Tests shorten it.
struct JournalTiming {
    std::chrono::milliseconds patience{2'000};
    std::chrono::milliseconds after_hurry{100};
    std::chrono::milliseconds at_end{200};
    std::chrono::milliseconds at_end_if_late{50};  ///< where it did not answer in time before
};

/// Number of an entry, in the order of Journal::append(), from 1 on.
using JournalTicket = std::uint64_t;

/// False: it was told less than a minute before `now`.
[[nodiscard]] bool tell_again(SteadyTime& told_at, SteadyTime now);

/// No thread and no clock. Times never go back.
class JournalQueue {
public:
    // Of entries that wait for the disk. (A block of the main network may have 8 MB.)
    static constexpr std::size_t kMostEntries = 20'000;
    static constexpr std::size_t kMostText = std::size_t{64} << 20;

    explicit JournalQueue(const JournalTiming& timing) : timing_(timing) {}

    /// 0: there is no room for it.
    JournalTicket add(std::string line, SteadyTime now);
    [[nodiscard]] bool empty() const { return queue_.empty(); }
    /// The lines that are written next, at once, until settle(); there are some.
    [[nodiscard]] std::string take();
    /// These lines are on disk, or could not be written.
    void settle();
    /// Nothing is written any more.
    void clear();

    /// As Journal::released().
    [[nodiscard]] JournalTicket released() const { return late_ ? last_ : settled_; }
    /// As Journal::next_release().
    [[nodiscard]] std::optional<SteadyTime> next_release() const { return late_ ? std::nullopt : deadline(); }
    /// Entries that are not on disk.
    [[nodiscard]] std::uint64_t unwritten() const { return last_ - settled_ + missing_; }

    /// The disk is not waited for until it answers.
    [[nodiscard]] bool late() const { return late_; }
    /// It is not even open. `told`: the user is told so.
    void begin_late(bool told);
    /// From now on the disk is waited for a moment only.
    void hurry(SteadyTime now);
    /// Whether the disk has become late. True: the user is to be told.
    [[nodiscard]] bool look_at_clock(SteadyTime now);
    /// The disk has answered. The user is to be told where he was told that it is late: how many entries were left out.
    [[nodiscard]] std::optional<std::uint64_t> answered(SteadyTime now);

private:
    struct Entry {
        std::string line;
        SteadyTime since;
    };
    /// When waiting for the disk ends; empty: nothing waits.
    [[nodiscard]] std::optional<SteadyTime> deadline() const;

    const JournalTiming timing_;
    std::deque<Entry> queue_;
    std::size_t text_ = 0;                     // bytes in the queue
    std::optional<SteadyTime> writing_since_;  // of the oldest entry that is being written
    JournalTicket last_ = 0;
    JournalTicket settled_ = 0;  // up to this one all are on disk, or could not be written
    std::uint64_t missing_ = 0;  // entries for which there was no room
    bool late_ = false;
    bool told_late_ = false;
    std::optional<SteadyTime> hurried_;
    SteadyTime late_told_at_{};
};

}  // namespace gpuminer::net
