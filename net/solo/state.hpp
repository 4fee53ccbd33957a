// What the threads of the solo client have in common.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/block/hash256.hpp"
#include "net/bitcoin/address.hpp"
#include "net/journal.hpp"
#include "net/node/url.hpp"
#include "net/solo/client.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

struct SoloState {
    SoloState(const SoloOptions& given, WorkCallbacks given_callbacks);

    void say(Severity severity, const std::string& text) const;
    /// The client's work is over; only the first call does something.
    void end(Outcome outcome, const std::string& sentence);
    /// The template thread is to ask for a new template now.
    void want_template();
    // With `mutex` held:
    [[nodiscard]] bool mining() const { return !stop && !over && !finishing; }
    [[nodiscard]] bool is_solved(const Hash256& previous) const;

    SoloOptions options;
    const WorkCallbacks callbacks;
    const Address address;
    std::optional<Chain> wanted_chain;  ///< the user's word; empty: the first node's
    std::vector<NodeAccess> nodes;      ///< at least one

    Journal journal;
    std::mutex journal_mutex;  ///< one thread at a time appends

    std::atomic<bool> stop = false;   ///< set with `mutex` held, read without
    std::mutex mutex;                 // guards all that follows, but for the calls of `changed`
    std::condition_variable changed;  ///< any of it
    bool over = false;                ///< end() was called
    bool finishing = false;           ///< no more jobs, but blocks may still be under way
    bool template_wanted = false;
    std::shared_ptr<const MiningJob> ended_job;        ///< the last one with a hit: the devices have left it
    std::chrono::steady_clock::time_point not_before;  ///< no new job earlier: after a rejected block
    std::uint32_t height = 0;                          ///< of the current template; 0: none yet
    std::deque<Hash256> solved;  ///< previous hashes (display order) on which a block of ours is under way or accepted
    WorkStatus status;
};

}  // namespace gpuminer::net
