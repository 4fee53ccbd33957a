#include "net/solo/template_source.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kTipPoll = milliseconds(250);
constexpr auto kTipPollBesideLongPoll = seconds(2);  // in case that it is broken
constexpr seconds kTipPatience(1);                   // while a template is wanted
constexpr seconds kRefresh(15);                      // new transactions and their fees
constexpr auto kPreferFirst = seconds(60);           // the first node is tried again while another gives the templates
constexpr unsigned kBusyRoundsUnsaid = 8;            // four seconds
constexpr seconds kOwnBlockPause(1);                 // the node has our block, but still gives a template beside it

bool is_temporary(RpcFailure failure) {
    return failure == RpcFailure::kWarmingUp || failure == RpcFailure::kInitialDownload ||
           failure == RpcFailure::kNotConnected || failure == RpcFailure::kBusy;
}

bool is_login(RpcFailure failure) { return failure == RpcFailure::kUnauthorized || failure == RpcFailure::kUnverified; }

/// A node that does not let us ask has no news of the kind, and is not gone.
bool is_refusal_to_tell(RpcFailure failure) {
    return failure == RpcFailure::kNoMethod || failure == RpcFailure::kRefused || failure == RpcFailure::kUnauthorized;
}

/// Of a node's initial sync, for its sentence; empty where the node does not tell.
std::string progress_of(Answer<ChainInfo>& answer) {
    try {
        const ChainInfo info = answer.take();
        // In steps of 10 %, so that the sentence does not differ from the last one each time.
        const auto percent = info.headers == 0 ? 0 : 10 * (10 * info.blocks / std::max(info.headers, info.blocks));
        return fmt::format(" (over {} % of its {} headers' blocks)", percent, grouped(info.headers));
    } catch (const RpcError&) {
        return "";
    }
}

}  // namespace

TemplateSource::TemplateSource(SoloState& state, OffLoop& off_loop, BlockSubmitter& submitter)
    : state_(state),
      submitter_(submitter),
      long_poll_(state, off_loop),
      jobs_(state),
      chain_(state.nodes.chain),
      timer_(state.loop),
      backoff_(milliseconds(static_cast<std::int64_t>(1000 * state.options.retry_pause)), state.seed) {
    for (NodeAccess access : state.nodes.access) {
        access.silent = [this, index = sources_.size()] { name_silence(*sources_[index]); };
        sources_.push_back(std::make_unique<Source>(state.loop, off_loop, access));
    }
}

void TemplateSource::stop() {
    phase_ = Phase::kOver;
    timer_.cancel();
    long_poll_.stop();
    for (const auto& source : sources_) source->node.cancel();
    jobs_.drop_job();
}

void TemplateSource::end(Outcome outcome, const std::string& sentence) {
    stop();
    state_.end(outcome, sentence);
}

void TemplateSource::look() {
    if (phase_ == Phase::kOver) return;
    if (!state_.mining()) return stop();
    if (jobs_.has_job() && state_.is_reserved(jobs_.previous_hash())) jobs_.drop_job();  // until nodes have our block
    if (phase_ == Phase::kWaiting) wait_for_news();
    if (phase_ == Phase::kAsking) wait_for_tip();
}

void TemplateSource::begin_round() {
    phase_ = Phase::kFetching;
    timer_.cancel();
    state_.forget_wanted_template();
    failures_.clear();
    failure_.clear();
    const auto now = steady_now();
    asked_ = active_;
    if (now - preferred_at_ > kPreferFirst) {
        preferred_at_ = now;
        asked_ = 0;
    }
    left_ = sources_.size();
    ask_next();
}

void TemplateSource::ask_next() {
    if (left_ == 0) return round_failed();
    if (left_-- < sources_.size()) asked_ = (asked_ + 1) % sources_.size();
    try_to([this] { asked().checked ? fetch() : check_chain(); });
}

template <typename Part>
void TemplateSource::try_to(Part part) {
    try {
        return part();
    } catch (const RpcError& error) {
        return failed(error);
    } catch (const NetworkError& error) {  // a template that makes no sense
        note_failure(RpcFailure::kMalformed, fmt::format("the template of {}: {}", asked().node.name(), error.what()));
    } catch (const InputError& error) {  // a node on another chain is no reason to stop once one of ours has worked
        if (!ever_worked_) return end(Outcome::kBadInput, error.what());
        note_failure(RpcFailure::kRefused, error.what());
    } catch (const std::exception& error) {
        return end(Outcome::kRefused, error.what());
    }
    ask_next();
}

template <typename T, typename Part>
OnAnswer<T> TemplateSource::then(Part part) {
    return [this, part = std::move(part)](Answer<T> answer) { try_to([&] { part(answer.take()); }); };
}

void TemplateSource::check_chain() {
    asked().node.chain_info(then<ChainInfo>([this](const ChainInfo& info) {
        require_our_chain(info);
        check_peers(info);
    }));
}

void TemplateSource::require_our_chain(const ChainInfo& info) {
    const std::string node = asked().node.name();
    if (!info.chain) throw InputError(fmt::format("{} is on an unknown network: {}", node, quoted_text(info.name)));
    if (chain_ && *chain_ != *info.chain) {
        throw InputError(fmt::format("expected a node on {}, but {} is on {}", description_of(*chain_), node,
                                     description_of(*info.chain)));
    }
    require_valid_on(state_.address, *info.chain);
}

void TemplateSource::check_peers(const ChainInfo& info) {
    const auto ask_for_kind = [this, info](bool alone) {
        require_synchronised(info, alone);
        asked().node.is_btcd(then<bool>([this, info](bool is_btcd) {
            asked().long_poll = is_btcd;
            asked().checked = true;
            if (!std::exchange(told_of_script_, true)) {
                chain_ = info.chain;
                state_.say(Severity::kInfo, fmt::format("blocks pay {} ({}): script {}", state_.address.text,
                                                        name_of(state_.address.kind), to_hex(state_.address.script)));
            }
            fetch();
        }));
    };
    if (*info.chain == Chain::kRegtest || *info.chain == Chain::kSimnet) return ask_for_kind(false);  // without peers
    asked().node.connections([this, ask_for_kind](Answer<std::uint64_t> answer) {
        try_to([&] {
            bool alone = false;
            try {
                alone = answer.take() == 0;
            } catch (const RpcError& error) {  // it may not tell
                if (!is_refusal_to_tell(error.failure)) throw;
            }
            ask_for_kind(alone);
        });
    });
}

void TemplateSource::require_synchronised(const ChainInfo& info, bool alone) {
    const Chain chain = *info.chain;
    Source& source = asked();
    // Bitcoin Core refuses templates for these reasons on the main network only. (A signet may be private.)
    if (chain == Chain::kTest || chain == Chain::kTestnet4 || chain == Chain::kTestnet5) {
        if (alone) {
            throw RpcError(
                RpcFailure::kNotConnected,
                source.node.name() +
                    " has no peers: it cannot know the newest block, and a block on an older one would be lost");
        }
        if (info.initial_download && (info.blocks == 0 || info.blocks < info.headers)) {
            throw RpcError(RpcFailure::kInitialDownload,
                           source.node.name() + " is in its initial sync and does not know the whole chain yet");
        }
    }
    if (alone && !std::exchange(source.told_alone, true)) {
        state_.say(Severity::kWarning, source.node.name() + " has no peers: nobody would hear of a block");
    }
    if (!alone) source.told_alone = false;
}

void TemplateSource::fetch() {
    submitter_.resume(*chain_);
    using Fresh = std::shared_ptr<const BlockTemplate>;
    asked().node.block_template(*chain_, then<Fresh>([this](const Fresh& fresh) {
        look_at_window(fresh, {asked_, asked().node.name(), *chain_, steady_now(), std::nullopt});
    }));
}

void TemplateSource::look_at_window(const std::shared_ptr<const BlockTemplate>& fresh,
                                    const TemplateJobs::Origin& origin) {
    if (!TemplateJobs::has_window(*fresh, origin.chain)) return look_at_own_block(fresh, origin);
    asked().node.block_time(fresh->previous_hash, then<std::uint32_t>([this, fresh, origin](std::uint32_t time) {
                                TemplateJobs::Origin with_time = origin;
                                with_time.previous_time = time;
                                look_at_own_block(fresh, with_time);
                            }));
}

void TemplateSource::look_at_own_block(const std::shared_ptr<const BlockTemplate>& fresh,
                                       const TemplateJobs::Origin& origin) {
    const auto own = submitter_.book().accepted_on(fresh->previous_hash);
    if (!own) return use(fresh, origin);
    // The node may take long to tell of it, behind a submitblock that hangs; by then the other tip is worth little.
    if (jobs_.has_job() && jobs_.previous_hash() != fresh->previous_hash) jobs_.drop_job();
    asked().node.standing(*own, [this, own, fresh, origin](Answer<ChainPosition> answer) {
        try_to([&] {
            ChainPosition position = ChainPosition::kAbsent;
            try {
                position = answer.take();
            } catch (const RpcError& error) {  // it has no more to tell than its tip, which is another block
                if (error.failure != RpcFailure::kNoMethod) throw;
            }
            if (position != ChainPosition::kOnBestChain) {
                submitter_.book().left_the_chain(*own, asked_, origin.node, position == ChainPosition::kAbsent);
            }
            use(fresh, origin);
        });
    });
}

void TemplateSource::use(const std::shared_ptr<const BlockTemplate>& fresh, const TemplateJobs::Origin& origin) {
    Source& source = asked();
    fetched_at_ = origin.fetched_at;
    jobs_.use(fresh, origin);
    active_ = asked_;
    long_poll_.watch(asked_, *chain_, source.long_poll ? fresh->long_poll_id : "");
    if (!source.last_trouble.empty()) {
        state_.say(Severity::kInfo, source.node.name() + " gives work again");
        source.last_trouble.clear();
        source.told_silent = false;
    }
    source.busy_rounds = 0;
    rounds_failed_ = 0;
    ever_worked_ = true;
    backoff_.reset();
    phase_ = Phase::kWaiting;
    next_tip_poll_ = steady_now() + tip_poll();
    look();
}

// Not each time that it is slow: only after a failure again.
void TemplateSource::name_silence(Source& source) {
    if (std::exchange(source.told_silent, true)) return;
    state_.say(Severity::kWarning, fmt::format("{} has accepted the connection and is silent{}", source.node.name(),
                                               source.checked ? "" : "; is that its RPC port?"));
}

void TemplateSource::failed(const RpcError& error) {
    if (error.failure != RpcFailure::kBusy) asked().checked = false;
    if (error.failure != RpcFailure::kInitialDownload) {
        note_failure(error.failure, error.what());
        return ask_next();
    }
    asked().node.chain_info([this, sentence = std::string(error.what())](Answer<ChainInfo> answer) {
        note_failure(RpcFailure::kInitialDownload, sentence + progress_of(answer));
        ask_next();
    });
}

void TemplateSource::note_failure(RpcFailure failure, const std::string& sentence) {
    Source& source = asked();
    failures_.push_back(failure);
    if (failure_.empty()) failure_ = sentence;
    source.busy_rounds = failure == RpcFailure::kBusy ? source.busy_rounds + 1 : 0;
    if (source.busy_rounds > 0 && source.busy_rounds <= kBusyRoundsUnsaid) return;
    if (sentence == source.last_trouble) return;
    state_.say(Severity::kWarning, sentence);
    source.last_trouble = sentence;
}

void TemplateSource::round_failed() {
    if (!state_.mining()) return stop();
    // A node that is busy is alive, and its last template still the newest that is known.
    const bool busy = std::ranges::find(failures_, RpcFailure::kBusy) != failures_.end();
    const bool for_long =
        std::ranges::any_of(sources_, [](const auto& source) { return source->busy_rounds > kBusyRoundsUnsaid; });
    if (!busy || for_long) {
        jobs_.drop_job();
        state_.note_disconnected(failure_);
    }
    if (std::ranges::none_of(failures_, is_temporary)) ++rounds_failed_;
    const bool login_refused = !ever_worked_ && std::ranges::all_of(failures_, is_login);
    const bool retries_used_up = state_.options.retries && rounds_failed_ > *state_.options.retries;
    if (login_refused || retries_used_up) return end(Outcome::kRefused, failure_);
    phase_ = Phase::kPausing;
    timer_.start(busy ? kBusyPause : backoff_.next(), [this] { begin_round(); });
}

milliseconds TemplateSource::tip_poll() const {
    return sources_[active_]->long_poll ? kTipPollBesideLongPoll : kTipPoll;
}

void TemplateSource::wait_for_news() {
    const SteadyTime now = steady_now();
    const auto wanted = state_.template_wanted();
    SteadyTime fetch_at = fetched_at_ + (state_.is_reserved(jobs_.previous_hash()) ? kOwnBlockPause : kRefresh);
    if (jobs_.window_opens()) fetch_at = std::min(fetch_at, *jobs_.window_opens());
    if (wanted) fetch_at = *wanted;
    if (fetch_at <= now) return begin_round();
    if (!wanted && next_tip_poll_ <= now) return ask_for_tip();
    const SteadyTime next = wanted ? fetch_at : std::min(fetch_at, next_tip_poll_);
    timer_.start(std::chrono::ceil<milliseconds>(next - now), [this] { look(); });
}

// A template that is wanted does not wait for a node that is slow to tell its tip.
void TemplateSource::wait_for_tip() {
    const auto wanted = state_.template_wanted();
    if (!wanted) return timer_.cancel();
    const SteadyTime now = steady_now(), give_up = std::max(*wanted, next_tip_poll_ + kTipPatience);
    if (give_up > now) return timer_.start(std::chrono::ceil<milliseconds>(give_up - now), [this] { look(); });
    sources_[active_]->node.cancel();
    begin_round();
}

void TemplateSource::ask_for_tip() {
    phase_ = Phase::kAsking;
    next_tip_poll_ = steady_now();
    sources_[active_]->node.best_block_hash([this](Answer<Hash256> answer) {
        phase_ = Phase::kWaiting;
        milliseconds pause = tip_poll();
        try {
            if (answer.take() != jobs_.previous_hash()) return begin_round();
        } catch (const RpcError& error) {
            // Fetching a template will tell; but a node that does not let us ask will not tell another time, either.
            const bool refuses = error.failure == RpcFailure::kUnauthorized || error.failure == RpcFailure::kNoMethod;
            if (error.failure != RpcFailure::kBusy && !refuses) return begin_round();
            if (!refuses) pause = kBusyPause;
        }
        next_tip_poll_ = steady_now() + pause;
        look();
    });
}

}  // namespace gpuminer::net
