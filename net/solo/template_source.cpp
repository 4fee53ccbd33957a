#include "net/solo/template_source.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "host/block/format.hpp"
#include "host/block/text.hpp"
#include "net/solo/easy_window.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kTipPoll = milliseconds(250);
constexpr auto kTipPollBesideLongPoll = seconds(2);  // in case that it is broken
constexpr auto kRefresh = seconds(15);               // new transactions and their fees
constexpr auto kPreferFirst = seconds(60);           // the first node is tried again while another gives the templates
constexpr auto kOwnBlockPause = seconds(1);          // the node has our block, but still gives a template beside it

bool is_temporary(RpcFailure failure) {
    return failure == RpcFailure::kWarmingUp || failure == RpcFailure::kInitialDownload ||
           failure == RpcFailure::kNotConnected;
}

bool is_login(RpcFailure failure) { return failure == RpcFailure::kUnauthorized || failure == RpcFailure::kUnverified; }

}  // namespace

TemplateSource::TemplateSource(SoloState& shared, BlockSubmitter& submitter)
    : shared_(shared),
      submitter_(submitter),
      long_poll_(shared),
      backoff_(milliseconds(static_cast<std::int64_t>(1000 * shared.options.retry_pause)), std::random_device{}()) {
    for (const NodeAccess& access : shared.nodes) sources_.push_back(std::make_unique<Source>(access));
    chain_ = shared.wanted_chain;
    std::random_device random;
    first_extranonce_ = (std::uint64_t{random()} << 32) | random();
    thread_ = std::thread([this] { run(); });
}

TemplateSource::~TemplateSource() {
    {
        const std::lock_guard lock(shared_.mutex);
        shared_.stop = true;
    }
    shared_.changed.notify_all();
    cancel();
    thread_.join();
}

void TemplateSource::cancel() {
    for (auto& source : sources_) source->node.cancel();
    long_poll_.cancel();
}

void TemplateSource::run() {
    try {
        while (true) {
            {
                const std::lock_guard lock(shared_.mutex);
                if (!shared_.mining()) break;
                shared_.template_wanted = false;
            }
            if (fetch()) {
                wait_for_news();
            } else if (!wait_after_failure()) {
                break;
            }
        }
    } catch (const InputError& error) {
        publish(nullptr);
        shared_.end(Outcome::kBadInput, error.what());
        return;
    } catch (const std::exception& error) {
        publish(nullptr);
        shared_.end(Outcome::kRefused, error.what());
        return;
    }
    publish(nullptr);
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
            if (sentence == source.last_trouble) return;
            shared_.say(Severity::kWarning, sentence);
            source.last_trouble = std::move(sentence);
        };
        try {
            fetch_from(index);
            return true;
        } catch (const RpcError& error) {
            if (error.failure == RpcFailure::kCancelled) return false;
            source.checked = false;
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
    const json reply = source.node.block_template(*chain_);
    fetched_at_ = Clock::now();
    use(index, reply);
    if (!source.last_trouble.empty()) {
        shared_.say(Severity::kInfo, source.node.name() + " gives work again");
        source.last_trouble.clear();
    }
    rounds_failed_ = 0;
    ever_worked_ = true;
    backoff_.reset();
}

void TemplateSource::check_chain(Source& source) {
    const ChainInfo info = source.node.chain_info();
    if (!info.chain) {
        throw InputError(
            fmt::format("{} is on a network that is not known here: {}", source.node.name(), quoted_text(info.name)));
    }
    if (chain_ && *chain_ != *info.chain) {
        throw InputError(fmt::format("expected a node on {}, but {} is on {}", description_of(*chain_),
                                     source.node.name(), description_of(*info.chain)));
    }
    require_valid_on(shared_.address, *info.chain);
    check_synchronised(source, info);
    source.long_poll = source.node.is_btcd();
    source.checked = true;
    if (!std::exchange(told_of_script_, true)) {
        chain_ = info.chain;
        shared_.say(Severity::kInfo, fmt::format("blocks pay {} ({}): script {}", shared_.address.text,
                                                 name_of(shared_.address.kind), to_hex(shared_.address.script)));
    }
    submitter_.resume(*chain_);
}

void TemplateSource::check_synchronised(Source& source, const ChainInfo& info) {
    const Chain chain = *info.chain;
    if (chain == Chain::kRegtest || chain == Chain::kSimnet) return;  // alone is how they are used
    const bool alone = is_alone(source);
    // Bitcoin Core refuses templates for these reasons on the main network only. (A signet may be the user's own.)
    if (chain == Chain::kTest || chain == Chain::kTestnet4) {
        if (alone) {
            throw RpcError(RpcFailure::kNotConnected,
                           source.node.name() + " has no peers; blocks on top of what it knows would be in vain");
        }
        if (info.initial_download && (info.blocks == 0 || info.blocks < info.headers)) {
            throw RpcError(RpcFailure::kInitialDownload,
                           source.node.name() + " is in its initial sync and does not know the whole chain yet");
        }
    }
    if (alone && !std::exchange(source.told_alone, true)) {
        shared_.say(Severity::kWarning, source.node.name() + " has no peers: nobody would hear of a block");
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
        // Tenths of the way, so that the user hears of it now and then but not each time.
        const auto percent = info.headers == 0 ? 0 : 10 * (10 * info.blocks / std::max(info.headers, info.blocks));
        sentence += fmt::format(" (over {} % of its {} headers' blocks)", percent, grouped(info.headers));
    } catch (const RpcError&) {  // then without
    }
    return sentence;
}

bool TemplateSource::wait_after_failure() {
    publish(nullptr);
    {
        const std::lock_guard lock(shared_.mutex);
        shared_.status.connected = false;
        if (!shared_.mining()) return false;
    }
    if (!ever_worked_ && std::all_of(failures_.begin(), failures_.end(), is_login)) {
        shared_.end(Outcome::kRefused, failure_);
        return false;
    }
    if (std::none_of(failures_.begin(), failures_.end(), is_temporary)) ++rounds_failed_;
    if (shared_.options.retries && rounds_failed_ > *shared_.options.retries) {
        shared_.end(Outcome::kRefused, failure_);
        return false;
    }
    std::unique_lock lock(shared_.mutex);
    shared_.changed.wait_for(lock, backoff_.next(), [&] { return !shared_.mining(); });
    return shared_.mining();
}

void TemplateSource::wait_for_news() {
    const milliseconds tip_poll = sources_[active_]->long_poll ? kTipPollBesideLongPoll : kTipPoll;
    auto next_tip_poll = Clock::now() + tip_poll;
    while (true) {
        {
            std::unique_lock lock(shared_.mutex);
            const bool own_block_waits = shared_.is_solved(template_->previous_hash);
            auto until = std::min(next_tip_poll, fetched_at_ + (own_block_waits ? seconds(kOwnBlockPause) : kRefresh));
            if (window_opens_) until = std::min(until, *window_opens_);
            shared_.changed.wait_until(lock, until, [&] {
                return !shared_.mining() || shared_.template_wanted ||
                       (job_ && shared_.is_solved(template_->previous_hash));
            });
            if (!shared_.mining()) return;
            if (shared_.template_wanted) {
                const auto begin = shared_.not_before;
                shared_.changed.wait_until(lock, begin, [&] { return !shared_.mining(); });
                return;
            }
            if (shared_.is_solved(template_->previous_hash) && job_) {
                lock.unlock();
                publish(nullptr);  // until the nodes have our block
                continue;
            }
            const auto now = Clock::now();
            if (now >= fetched_at_ + (own_block_waits ? seconds(kOwnBlockPause) : kRefresh)) return;
            if (window_opens_ && now >= *window_opens_) return;
        }
        if (Clock::now() >= next_tip_poll) {
            if (tip_has_changed()) return;
            next_tip_poll = Clock::now() + tip_poll;
        }
    }
}

bool TemplateSource::tip_has_changed() {
    try {
        return sources_[active_]->node.best_block_hash() != template_->previous_hash;
    } catch (const RpcError& error) {
        // Fetching a template will tell; but a node that does not let us ask will not tell another time, either.
        return error.failure != RpcFailure::kUnauthorized && error.failure != RpcFailure::kNoMethod;
    }
}

}  // namespace gpuminer::net
