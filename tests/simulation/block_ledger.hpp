// All blocks that a simulated solo miner found, what nodes said of them, and the templates that they gave, judged as it
// happens.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/steady_time.hpp"
#include "tests/simulation/simulated_disk.hpp"

namespace gpuminer::net {
class TemplateJob;
}

namespace gpuminer::simulation {

class SoloWorld;

class BlockLedger final : public DiskWatcher {
public:
    explicit BlockLedger(SoloWorld& world) : world_(world) {}

    // What the miner does:

    /// The client gives it a job; null: none.
    void new_job(std::shared_ptr<const net::TemplateJob> job);
    /// The job to search; null: none, or a block of it was found.
    [[nodiscard]] const std::shared_ptr<const net::TemplateJob>& job() const { return job_; }
    /// The program is ending: it searches no more.
    void search_ends();
    /// A block of `job` is about to be handed over.
    void found(const std::string& hash, const std::shared_ptr<const net::TemplateJob>& job);

    // DiskWatcher:

    void journalled(const nlohmann::json& entry) override;
    void released(const nlohmann::json& entry) override;
    void durable(const nlohmann::json& entry) override;
    void killed() override;

    // What goes over the wire:

    /// The client calls submitblock.
    void sent(std::size_t node, const std::string& hash);
    /// The client hears how its submitblock ended: `answer` is the result, or empty where it may be sent again. It
    /// hears nothing where it drops the call.
    void answered(std::size_t node, const std::string& hash, const std::optional<nlohmann::json>& answer);
    /// The client makes one of the calls that a template takes.
    void asks_in_round(bool for_template);
    /// It hears of a tip from a node; `as_template`: with a template.
    void hears_of_tip(const std::string& tip, bool as_template);
    void hears_of_failure();
    /// A node is too busy: for a minute, its calls wait for each other.
    void hears_of_busy_node() { busy_at_ = world_now(); }
    /// A node says that the block is not on its best chain; `absent`: that it does not know it.
    void hears_of_place(std::size_t node, const std::string& hash, bool absent);
    /// Calls of a sender, by node.
    void sender_call_begins(std::size_t node) { ++senders_[node].under_way; }
    void sender_call_ends(std::size_t node) {
        --senders_[node].under_way;
        ++senders_[node].ended;
    }

    /// Every block that the journal has is answered by every node.
    [[nodiscard]] std::string unanswered() const;
    /// Every answer that this run has heard is in the journal's queue; empty, or which is not.
    [[nodiscard]] std::string unsettled() const;

private:
    struct Sending {
        unsigned run = 0;        ///< the last one that it was sent in
        bool under_way = false;  ///< without an answer or a failure yet
        bool answered = false;   ///< for good
        bool accepted = false;
        bool may_return = false;    ///< the answer was that its parent is missing, or that it is on a branch
        bool settled = false;       ///< the answer is in the journal's queue
        bool on_disk = false;       ///< the answer
        bool absent = false;        ///< after it was accepted, the node has said that it does not know the block
        bool once_on_disk = false;  ///< so is an earlier answer, before the node lost the block
        bool off_chain = false;     ///< the node has said that it is not on its best chain
    };
    struct Block {
        std::string previous;
        bool expected = false;  ///< the client has no reason to drop it
        bool journalled = false;
        bool released = false;
        bool durable = false;
        bool left_a_chain = false;  ///< a node has said that it is not on its best one
        std::map<std::size_t, Sending> nodes;
    };
    /// A block of ours on it is on its way, or was accepted.
    [[nodiscard]] bool is_blocked(const std::string& previous) const;
    /// A block of ours that a node has accepted, as the journal knows, and none has said since that it is off its
    /// chain.
    [[nodiscard]] bool is_taken(const std::string& hash) const;
    /// A search of the last template would not be in vain.
    [[nodiscard]] bool is_template_usable() const;
    [[nodiscard]] std::chrono::seconds patience() const;
    [[nodiscard]] net::SteadyTime world_now() const;
    /// After each change: begins to watch for an idle miner, or ends it.
    void watch_idleness();
    void expect_journal(const std::string& hash);
    /// To be sent now to each node, unless other calls to it are slow or fail.
    void expect_sending(const std::string& hash);
    void fail(const std::string& hash, const std::string& what);

    SoloWorld& world_;
    std::map<std::string, Block> blocks_;  // by hash
    std::shared_ptr<const net::TemplateJob> job_;
    std::uint64_t templates_ = 0, round_calls_ = 0, failures_ = 0, failures_before_template_ = 0;
    std::string template_tip_;  // of the last template; empty: there is none in this run, or a newer tip is known
    bool fetching_ = false;     // since it asked for one
    net::SteadyTime busy_at_{};
    std::optional<net::SteadyTime> idle_since_;
    struct Sender {
        unsigned under_way = 0;
        std::uint64_t ended = 0;
    };
    std::map<std::size_t, Sender> senders_;  // by node
};

}  // namespace gpuminer::simulation
