// The state that the parts of the solo client share: options, the demand for templates, the status.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "net/bitcoin/address.hpp"
#include "net/solo/options.hpp"
#include "net/steady_time.hpp"
#include "net/transport/event_loop.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class SoloState {
public:
    /// The loop outlives it. Throws InputError for options that make no sense.
    SoloState(EventLoop& event_loop, const SoloOptions& given, const SoloNodes& given_nodes,
              WorkCallbacks given_callbacks, std::uint64_t given_seed);

    EventLoop& loop;
    const SoloOptions options;
    const WorkCallbacks callbacks;
    const Address address;
    const SoloNodes nodes;
    const std::uint64_t seed;         ///< of what is random: the first extranonce, pauses
    std::function<void()> on_change;  ///< called at once after each change; null: nobody wants to know

    void say(Severity severity, const std::string& text) const;
    void changed() const {
        if (on_change) on_change();
    }

    /// The client's work is over. Only the first call has an effect.
    void end(Outcome outcome, const std::string& sentence);
    /// No more jobs. Blocks may still be in flight.
    void finish();
    /// Neither end() nor finish() was called.
    [[nodiscard]] bool mining() const { return !over_ && !finishing_; }

    /// A template is to be fetched now, or with `pause` not before that is over.
    void want_template(std::chrono::milliseconds pause = {});
    /// Withdraws want_template(). Called before a template is fetched.
    void forget_wanted_template() { template_wanted_ = false; }
    /// When a template that is wanted may be fetched; empty: none is wanted.
    [[nodiscard]] std::optional<SteadyTime> template_wanted() const;

    /// Reserves the previous block (hash in display order) for a block of ours: no job is made on top of it any more,
    /// until release(). False: it is reserved already, or the client's work is over.
    bool reserve(const Hash256& previous);
    void release(const Hash256& previous) { std::erase(reserved_, previous); }
    [[nodiscard]] bool is_reserved(const Hash256& previous) const;

    /// The devices have left this job, because of a hit.
    void note_ended(std::shared_ptr<const MiningJob> job) { ended_job_ = std::move(job); }
    [[nodiscard]] bool is_ended(const MiningJob* job) const { return ended_job_.get() == job; }

    /// The part of the status that is about the node and its template; the blocks' part is that of BlockBook::counts().
    void add_to(WorkStatus& status) const;
    /// The node `server` gave a template of this height. `details` are merged into the status's.
    void note_template(const std::string& server, double difficulty, std::uint32_t height,
                       const nlohmann::json& details);
    /// No node gives work; why, as a sentence.
    void note_disconnected(const std::string& why);
    [[nodiscard]] const std::string& server() const { return status_.server; }  ///< the node of the current template
    /// Of the current template; 0: none yet.
    [[nodiscard]] double network_difficulty() const { return status_.network_difficulty; }
    [[nodiscard]] std::uint32_t height() const { return height_; }

    /// The chain that is mined on, known once a node has told it.
    void note_chain(Chain chain) { chain_ = chain; }
    [[nodiscard]] std::optional<Chain> chain() const { return chain_; }

private:
    /// Where the node's password would go over a network unencrypted.
    void warn_of_plain_text(const NodeAccess& access) const;

    bool over_ = false;
    bool finishing_ = false;
    bool template_wanted_ = false;
    SteadyTime not_before_{};  ///< no wanted template is fetched earlier
    std::shared_ptr<const MiningJob> ended_job_;
    std::deque<Hash256> reserved_;
    std::uint32_t height_ = 0;
    std::optional<Chain> chain_;
    WorkStatus status_;
};

}  // namespace gpuminer::net
