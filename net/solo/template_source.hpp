// TemplateSource: block templates, from whichever node has one, and newer ones as they come.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/node/node.hpp"
#include "net/solo/block_submitter.hpp"
#include "net/solo/long_poll.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_jobs.hpp"
#include "net/transport/backoff.hpp"

namespace gpuminer::net {

/// On the loop's thread. It fetches templates in rounds: each asks the nodes in order until one has a template.
class TemplateSource {
public:
    /// References outlive it. Throws InputError for a certificate file that cannot be used.
    TemplateSource(SoloState& state, OffLoop& off_loop, BlockSubmitter& submitter);

    /// To be called first.
    void begin_round();
    /// To be called after a change of the state: drops a job that is not to be searched any more, and begins the next
    /// round if there is a reason for it.
    void look();
    /// The calls in flight are dropped, and no more are made.
    void stop();

private:
    struct Source {
        Source(EventLoop& loop, OffLoop& off_loop, const NodeAccess& access) : node(loop, off_loop, access) {}
        Node node;
        bool checked = false;      ///< its chain is the one to be mined on
        bool long_poll = false;    ///< it may be asked to reply when there is news
        bool told_alone = false;   ///< the user knows that it has no peers
        bool told_silent = false;  ///< the user knows that it is slow to answer, or does not
        unsigned busy_rounds = 0;  ///< in a row: it was too busy
        std::string last_trouble;  ///< so that nothing is said twice
    };
    enum class Phase {
        kWaiting,   ///< for a reason to fetch a template
        kAsking,    ///< whether the tip has changed
        kFetching,  ///< in a round
        kPausing,   ///< after a round in which no node had a template
        kOver,
    };

    // A round:
    void ask_next();
    /// Runs a part of the round. Where it throws, this node has no template.
    template <typename Part>
    void try_to(Part part);
    /// Runs a part of the round with the answer of a call.
    template <typename T, typename Part>
    OnAnswer<T> then(Part part);
    void check_chain();
    /// Throws InputError where it is not the chain to be mined on.
    void require_our_chain(const ChainInfo& info);
    void check_peers(const ChainInfo& info);
    /// Throws RpcError where the node does not know the chain yet, as far as nodes do not say so themselves.
    void require_synchronised(const ChainInfo& info, bool alone);
    void fetch();
    void look_at_window(const std::shared_ptr<const BlockTemplate>& fresh, const TemplateJobs::Origin& origin);
    /// Whether a block of ours that is said to be accepted is still on the best chain.
    void look_at_own_block(const std::shared_ptr<const BlockTemplate>& fresh, const TemplateJobs::Origin& origin);
    void use(const std::shared_ptr<const BlockTemplate>& fresh, const TemplateJobs::Origin& origin);
    void failed(const RpcError& error);
    void note_failure(RpcFailure failure, const std::string& sentence);
    void round_failed();

    [[nodiscard]] std::chrono::milliseconds tip_poll() const;
    [[nodiscard]] Source& asked() { return *sources_[asked_]; }
    void name_silence(Source& source);
    void wait_for_news();
    void ask_for_tip();
    void wait_for_tip();
    void end(Outcome outcome, const std::string& sentence);

    SoloState& state_;
    BlockSubmitter& submitter_;
    std::vector<std::unique_ptr<Source>> sources_;
    LongPoll long_poll_;
    TemplateJobs jobs_;
    std::optional<Chain> chain_;
    Phase phase_ = Phase::kPausing;
    Timer timer_;
    std::size_t active_ = 0;                                      ///< the node of the current template
    SteadyTime fetched_at_{}, preferred_at_{}, next_tip_poll_{};  ///< the last: when it began, while it is under way
    bool told_of_script_ = false;

    std::size_t asked_ = 0;             ///< the node that is asked in this round
    std::size_t left_ = 0;              ///< nodes that are still to be asked in it
    std::vector<RpcFailure> failures_;  ///< of the last round
    std::string failure_;               ///< its first sentence
    unsigned rounds_failed_ = 0;
    bool ever_worked_ = false;
    Backoff backoff_;
};

}  // namespace gpuminer::net
