// TemplateSource: the thread that fetches block templates, from whichever node has one, and waits for newer ones.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/node/node.hpp"
#include "net/solo/block_submitter.hpp"
#include "net/solo/long_poll.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_jobs.hpp"
#include "net/transport/backoff.hpp"

namespace gpuminer::net {

class TemplateSource {
public:
    /// Starts the thread. The destructor ends it, and its call.
    TemplateSource(SoloState& state, BlockSubmitter& submitter);

    /// The threads (the long poll's too) and their calls end soon.
    void request_stop();
    /// After request_stop().
    void join() { thread_ = {}; }

private:
    using Clock = std::chrono::steady_clock;
    struct Source {
        explicit Source(const NodeAccess& access) : node(access) {}
        Node node;
        bool checked = false;      ///< its chain is the one to be mined on
        bool long_poll = false;    ///< it may be asked to reply when there is news
        bool told_alone = false;   ///< the user knows that it has no peers
        bool told_silent = false;  ///< the user knows that it is slow to answer, or does not
        unsigned busy_rounds = 0;  ///< in a row: it was too busy
        std::string last_trouble;  ///< so that nothing is said twice
    };

    void run(const std::stop_token& stop);
    void fetch_until_over(const std::stop_token& stop);
    /// From the nodes in order, the one that gave the last template first. False: none has one.
    bool fetch();
    void fetch_from(std::size_t index);
    /// During a call.
    void name_silence(Source& source);
    /// Throws InputError where it is not the chain to be mined on. RpcError.
    void check_chain(Source& source);
    /// Throws RpcError where the node does not know the chain yet, as far as nodes do not say so themselves.
    void check_synchronised(Source& source, const ChainInfo& info);
    /// No peers.
    [[nodiscard]] static bool is_alone(Source& source);
    [[nodiscard]] std::string with_progress(Source& source, const RpcError& error);
    /// False: it is over.
    bool wait_after_failure(const std::stop_token& stop);
    /// Until there may be a new template.
    void wait_for_news(const std::stop_token& stop);
    /// Empty: the node is too busy to say.
    [[nodiscard]] std::optional<bool> tip_has_changed();

    SoloState& state_;
    BlockSubmitter& submitter_;
    std::vector<std::unique_ptr<Source>> sources_;
    LongPoll long_poll_;
    TemplateJobs jobs_;
    std::optional<Chain> chain_;
    std::size_t active_ = 0;  ///< the node of the current template
    Clock::time_point fetched_at_, preferred_at_;
    bool told_of_script_ = false;

    std::vector<RpcFailure> failures_;  ///< of the last round
    std::string failure_;               ///< its first sentence
    unsigned rounds_failed_ = 0;
    bool ever_worked_ = false;
    Backoff backoff_;
    std::jthread thread_;
};

}  // namespace gpuminer::net
