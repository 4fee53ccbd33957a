// Templates: from whichever node has one, until there is a newer one, turned into jobs for the miners.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/node/node.hpp"
#include "net/solo/block_submitter.hpp"
#include "net/solo/long_poll.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_job.hpp"
#include "net/transport/backoff.hpp"

namespace gpuminer::net {

/// Whether the miners should leave a job of `current` of this age for one of `fresh`: at once for another block, after
/// some time for more fees, and after a minute in any case, so that the time of the headers moves on.
[[nodiscard]] bool is_worth_a_job(const BlockTemplate& current, const BlockTemplate& fresh,
                                  std::chrono::steady_clock::duration age);

class TemplateSource {
public:
    TemplateSource(SoloState& shared, BlockSubmitter& submitter);
    ~TemplateSource();
    TemplateSource(const TemplateSource&) = delete;
    TemplateSource& operator=(const TemplateSource&) = delete;

    void cancel();

private:
    using Clock = std::chrono::steady_clock;
    struct Source {
        explicit Source(const NodeAccess& access) : node(access) {}
        Node node;
        bool checked = false;      ///< its chain is the one to be mined on
        bool long_poll = false;    ///< it may be asked to reply when there is news
        bool told_alone = false;   ///< the user knows that it has no peers
        std::string last_trouble;  ///< so that nothing is said twice
    };

    void run();
    /// From the nodes in order, the one that gave the last template first. False: none has one.
    bool fetch();
    void fetch_from(std::size_t index);
    /// Throws InputError where it is not the chain to be mined on. RpcError.
    void check_chain(Source& source);
    /// Throws RpcError where the node does not know the chain yet, as far as nodes do not say so themselves.
    void check_synchronised(Source& source, const ChainInfo& info);
    /// No peers.
    [[nodiscard]] static bool is_alone(Source& source);
    [[nodiscard]] std::string with_progress(Source& source, const RpcError& error);
    /// False: it is over.
    bool wait_after_failure();

    void use(std::size_t index, const nlohmann::json& reply);
    /// What a testnet's 20-minute rule demands of the job's time.
    void apply_window(Source& source, const BlockTemplate& block_template, TemplateJobOptions& options);
    [[nodiscard]] bool is_easy_enough(const BlockTemplate& block_template);
    [[nodiscard]] bool is_news(const BlockTemplate& block_template) const;
    /// Whether a block of ours on top of this one, said to be accepted, is still there. RpcError.
    void check_own_block(Source& source, const Hash256& previous);
    void publish(std::shared_ptr<const TemplateJob> job);
    void note_status(std::size_t index, const BlockTemplate& block_template);
    /// Until there may be a new template.
    void wait_for_news();
    [[nodiscard]] bool tip_has_changed();

    SoloState& shared_;
    BlockSubmitter& submitter_;
    std::vector<std::unique_ptr<Source>> sources_;
    LongPoll long_poll_;
    std::uint64_t first_extranonce_ = 0;  ///< of this run: other miners with the same address have others
    std::optional<Chain> chain_;
    std::size_t active_ = 0;  ///< the node of the current template
    std::shared_ptr<const BlockTemplate> template_;
    std::shared_ptr<const TemplateJob> job_;  ///< null: nothing is searched
    Clock::time_point fetched_at_, published_at_, preferred_at_;
    std::optional<Clock::time_point> window_opens_;  ///< when another difficulty begins
    std::optional<Hash256> told_of_window_;          ///< the previous hash for which the user was told
    bool told_of_script_ = false;

    std::vector<RpcFailure> failures_;  ///< of the last round
    std::string failure_;               ///< its first sentence
    unsigned rounds_failed_ = 0;
    bool ever_worked_ = false;
    Backoff backoff_;
    std::thread thread_;
};

}  // namespace gpuminer::net
