#include "net/solo/template_source.hpp"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kTipPoll = milliseconds(250);
constexpr auto kTipPollBesideLongPoll = seconds(2);  // in case that it is broken
constexpr seconds kRefresh(15);                      // new transactions and their fees
constexpr auto kPreferFirst = seconds(60);           // the first node is tried again while another gives the templates
constexpr unsigned kBusyRoundsUnsaid = 8;            // four seconds
constexpr seconds kOwnBlockPause(1);                 // the node has our block, but still gives a template beside it

bool is_temporary(RpcFailure failure) {
    return failure == RpcFailure::kWarmingUp || failure == RpcFailure::kInitialDownload ||
           failure == RpcFailure::kNotConnected || failure == RpcFailure::kBusy;
}

bool is_login(RpcFailure failure) { return failure == RpcFailure::kUnauthorized || failure == RpcFailure::kUnverified; }

}  // namespace

TemplateSource::TemplateSource(SoloState& state, BlockSubmitter& submitter)
    : state_(state),
      submitter_(submitter),
      long_poll_(state),
      jobs_(state, submitter.book()),
      chain_(state.nodes.chain),
      backoff_(milliseconds(static_cast<std::int64_t>(1000 * state.options.retry_pause)), std::random_device{}()) {
    for (NodeAccess access : state.nodes.access) {
        access.silent = [this, index = sources_.size()] { name_silence(*sources_[index]); };
        sources_.push_back(std::make_unique<Source>(access));
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void TemplateSource::request_stop() {
    thread_.request_stop();
    long_poll_.request_stop();
}

void TemplateSource::run(const std::stop_token& stop) {
    const std::stop_callback cancel(stop, [this] {
        for (const auto& source : sources_) source->node.cancel();
    });
    try {
        fetch_until_over(stop);
        jobs_.drop_job();
    } catch (const InputError& error) {
        jobs_.drop_job();
        state_.end(Outcome::kBadInput, error.what());
    } catch (const std::exception& error) {
        jobs_.drop_job();
        state_.end(Outcome::kRefused, error.what());
    }
}

void TemplateSource::fetch_until_over(const std::stop_token& stop) {
    while (!stop.stop_requested() && state_.mining()) {
        state_.forget_wanted_template();
        if (fetch()) {
            wait_for_news(stop);
        } else if (!wait_after_failure(stop)) {
            return;
        }
    }
}

bool TemplateSource::fetch() {
    failures_.clear();
    failure_.clear();
    const auto now = Clock::now();
    std::size_t first = active_;
    if (now - preferred_at_ > kPreferFirst) {
        preferred_at_ = now;
        first = 0;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const std::size_t index = (first + i) % sources_.size();
        Source& source = *sources_[index];
        const auto note = [&](RpcFailure failure, std::string sentence) {
            failures_.push_back(failure);
            if (failure_.empty()) failure_ = sentence;
            source.busy_rounds = failure == RpcFailure::kBusy ? source.busy_rounds + 1 : 0;
            if (source.busy_rounds > 0 && source.busy_rounds <= kBusyRoundsUnsaid) return;
            if (sentence == source.last_trouble) return;
            state_.say(Severity::kWarning, sentence);
            source.last_trouble = std::move(sentence);
        };
        try {
            fetch_from(index);
            return true;
        } catch (const RpcError& error) {
            if (error.failure == RpcFailure::kCancelled) return false;
            if (error.failure != RpcFailure::kBusy) source.checked = false;
            note(error.failure, with_progress(source, error));
        } catch (const NetworkError& error) {  // a template that makes no sense
            note(RpcFailure::kMalformed, fmt::format("the template of {}: {}", source.node.name(), error.what()));
        } catch (const InputError& error) {  // a node on another chain is no reason to stop once one of ours has worked
            if (!ever_worked_) throw;
            note(RpcFailure::kRefused, error.what());
        }
    }
    return false;
}

void TemplateSource::fetch_from(std::size_t index) {
    Source& source = *sources_[index];
    if (!source.checked) check_chain(source);
    submitter_.resume(*chain_);
    const auto fresh = [&] {
        const json reply = source.node.block_template(*chain_);  // some ten megabytes, not to be kept beside the job
        fetched_at_ = Clock::now();
        return std::make_shared<const BlockTemplate>(parse_block_template(reply));
    }();
    jobs_.use(fresh, {index, source.node, *chain_, fetched_at_});
    active_ = index;
    long_poll_.watch(index, *chain_, source.long_poll ? fresh->long_poll_id : "");
    if (!source.last_trouble.empty()) {
        state_.say(Severity::kInfo, source.node.name() + " gives work again");
        source.last_trouble.clear();
        source.told_silent = false;
    }
    source.busy_rounds = 0;
    rounds_failed_ = 0;
    ever_worked_ = true;
    backoff_.reset();
}

// Not each time that it is slow: only after a failure again.
void TemplateSource::name_silence(Source& source) {
    if (std::exchange(source.told_silent, true)) return;
    state_.say(Severity::kWarning, fmt::format("{} has accepted the connection and is silent{}", source.node.name(),
                                               source.checked ? "" : "; is that its RPC port?"));
}

void TemplateSource::check_chain(Source& source) {
    const ChainInfo info = source.node.chain_info();
    if (!info.chain) {
        throw InputError(fmt::format("{} is on an unknown network: {}", source.node.name(), quoted_text(info.name)));
    }
    if (chain_ && *chain_ != *info.chain) {
        throw InputError(fmt::format("expected a node on {}, but {} is on {}", description_of(*chain_),
                                     source.node.name(), description_of(*info.chain)));
    }
    require_valid_on(state_.address, *info.chain);
    check_synchronised(source, info);
    source.long_poll = source.node.is_btcd();
    source.checked = true;
    if (!std::exchange(told_of_script_, true)) {
        chain_ = info.chain;
        state_.say(Severity::kInfo, fmt::format("blocks pay {} ({}): script {}", state_.address.text,
                                                name_of(state_.address.kind), to_hex(state_.address.script)));
    }
}

void TemplateSource::check_synchronised(Source& source, const ChainInfo& info) {
    const Chain chain = *info.chain;
    if (chain == Chain::kRegtest || chain == Chain::kSimnet) return;  // they are used without peers
    const bool alone = is_alone(source);
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

bool TemplateSource::is_alone(Source& source) {
    try {
        return source.node.connections() == 0;
    } catch (const RpcError& error) {
        if (error.failure != RpcFailure::kNoMethod && error.failure != RpcFailure::kRefused &&
            error.failure != RpcFailure::kUnauthorized) {
            throw;
        }
        return false;
    }
}

std::string TemplateSource::with_progress(Source& source, const RpcError& error) {
    std::string sentence = error.what();
    if (error.failure != RpcFailure::kInitialDownload) return sentence;
    try {
        const ChainInfo info = source.node.chain_info();
        // In steps of 10 %, so that the sentence does not differ from the last one each time.
        const auto percent = info.headers == 0 ? 0 : 10 * (10 * info.blocks / std::max(info.headers, info.blocks));
        sentence += fmt::format(" (over {} % of its {} headers' blocks)", percent, grouped(info.headers));
    } catch (const RpcError&) {  // then without
    }
    return sentence;
}

bool TemplateSource::wait_after_failure(const std::stop_token& stop) {
    // A node that is busy is alive, and its last template still the newest that is known.
    const bool busy = std::ranges::find(failures_, RpcFailure::kBusy) != failures_.end();
    const bool for_long =
        std::ranges::any_of(sources_, [](const auto& source) { return source->busy_rounds > kBusyRoundsUnsaid; });
    if (!busy || for_long) {
        jobs_.drop_job();
        state_.note_disconnected();
    }
    if (stop.stop_requested() || !state_.mining()) return false;
    if (std::none_of(failures_.begin(), failures_.end(), is_temporary)) ++rounds_failed_;
    const bool login_refused = !ever_worked_ && std::all_of(failures_.begin(), failures_.end(), is_login);
    const bool retries_used_up = state_.options.retries && rounds_failed_ > *state_.options.retries;
    if (login_refused || retries_used_up) {
        state_.end(Outcome::kRefused, failure_);
        return false;
    }
    return state_.pause(stop, busy ? kBusyPause : backoff_.next());
}

void TemplateSource::wait_for_news(const std::stop_token& stop) {
    const milliseconds tip_poll = sources_[active_]->long_poll ? kTipPollBesideLongPoll : kTipPoll;
    auto next_tip_poll = Clock::now() + tip_poll;
    while (true) {
        const Hash256 previous = jobs_.previous_hash();
        auto refresh = fetched_at_ + (state_.is_reserved(previous) ? kOwnBlockPause : kRefresh);
        if (jobs_.window_opens()) refresh = std::min(refresh, *jobs_.window_opens());
        const auto news =
            state_.wait_for_news(stop, std::min(next_tip_poll, refresh), jobs_.has_job() ? &previous : nullptr);
        if (news == SoloState::News::kOver || news == SoloState::News::kWanted) return;
        if (news == SoloState::News::kReserved) {
            jobs_.drop_job();  // until the nodes have our block
            continue;
        }
        if (Clock::now() >= refresh) return;
        if (Clock::now() >= next_tip_poll) {
            const std::optional<bool> changed = tip_has_changed();
            if (changed.value_or(false)) return;
            next_tip_poll = Clock::now() + (changed ? tip_poll : kBusyPause);
        }
    }
}

std::optional<bool> TemplateSource::tip_has_changed() {
    try {
        return sources_[active_]->node.best_block_hash() != jobs_.previous_hash();
    } catch (const RpcError& error) {
        if (error.failure == RpcFailure::kBusy) return std::nullopt;
        // Fetching a template will tell; but a node that does not let us ask will not tell another time, either.
        return error.failure != RpcFailure::kUnauthorized && error.failure != RpcFailure::kNoMethod;
    }
}

}  // namespace gpuminer::net
