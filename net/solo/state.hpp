// The state that the threads of the solo client share: options, the demand for templates, the status.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/mutex.hpp"
#include "net/bitcoin/address.hpp"
#include "net/solo/options.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// All functions may be called from any thread. None holds the mutex while it calls the program's callbacks.
class SoloState {
public:
    using Clock = std::chrono::steady_clock;

    /// Throws InputError for options that make no sense.
    SoloState(const SoloOptions& given, const SoloNodes& given_nodes, WorkCallbacks given_callbacks);

    const SoloOptions options;
    const WorkCallbacks callbacks;
    const Address address;
    const SoloNodes nodes;

    void say(Severity severity, const std::string& text) const;

    /// The client's work is over. Only the first call has an effect.
    void end(Outcome outcome, const std::string& sentence);
    /// No more jobs. Blocks may still be in flight.
    void finish();
    /// Neither end() nor finish() was called.
    [[nodiscard]] bool mining() const;

    /// The template thread fetches a template now, or with `pause` not before that is over.
    void want_template();
    void want_template_after(Clock::duration pause);
    /// Withdraws want_template(). Called before a template is fetched.
    void forget_wanted_template();

    /// Reserves the previous block (hash in display order) for a block of ours: no job is made on top of it any more,
    /// until release(). False: it is reserved already, or the client's work is over.
    bool reserve(const Hash256& previous);
    void release(const Hash256& previous);
    [[nodiscard]] bool is_reserved(const Hash256& previous) const;

    /// The devices have left this job, because of a hit.
    void note_ended(std::shared_ptr<const MiningJob> job);
    [[nodiscard]] bool is_ended(const MiningJob* job) const;

    enum class News {
        kNone,      ///< the time is over
        kOver,      ///< a stop is requested, or mining() is false
        kWanted,    ///< want_template() was called, and its pause is over
        kReserved,  ///< `previous` is reserved
    };
    /// For the template thread. `previous`: the current job's; null: there is no job.
    [[nodiscard]] News wait_for_news(const std::stop_token& stop, Clock::time_point until, const Hash256* previous);
    /// Waits for so long, or until mining is over. False: it is over.
    bool pause(const std::stop_token& stop, Clock::duration time);

    /// The part of the status that is about the node and its template; the blocks' part is that of BlockBook::counts().
    void add_to(WorkStatus& status) const;
    /// The node `server` gave a template of this height. `details` are merged into the status's.
    void note_template(const std::string& server, double difficulty, std::uint32_t height,
                       const nlohmann::json& details);
    void note_disconnected();
    [[nodiscard]] std::string server() const;         ///< the node of the current template
    [[nodiscard]] double network_difficulty() const;  ///< of the current template; 0: none yet
    [[nodiscard]] std::uint32_t height() const;       ///< of the current template; 0: none yet

    /// The chain that is mined on, known once a node has told it.
    void note_chain(Chain chain);
    [[nodiscard]] std::optional<Chain> chain() const;

private:
    /// Where the node's password would go over a network unencrypted.
    void warn_of_plain_text(const NodeAccess& access) const;
    [[nodiscard]] bool is_mining() const GPUMINER_REQUIRES(mutex_) { return !over_ && !finishing_; }
    [[nodiscard]] bool has_reserved(const Hash256& previous) const GPUMINER_REQUIRES(mutex_);

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    Condition changed_;
    bool over_ GPUMINER_GUARDED_BY(mutex_) = false;
    bool finishing_ GPUMINER_GUARDED_BY(mutex_) = false;
    bool template_wanted_ GPUMINER_GUARDED_BY(mutex_) = false;
    Clock::time_point not_before_ GPUMINER_GUARDED_BY(mutex_);  ///< no wanted template is fetched earlier
    std::shared_ptr<const MiningJob> ended_job_ GPUMINER_GUARDED_BY(mutex_);
    std::deque<Hash256> reserved_ GPUMINER_GUARDED_BY(mutex_);
    std::uint32_t height_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::optional<Chain> chain_ GPUMINER_GUARDED_BY(mutex_);
    WorkStatus status_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::net
