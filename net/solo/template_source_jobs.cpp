// The part of TemplateSource that makes jobs of templates.
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/format.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/solo/easy_window.hpp"
#include "net/solo/template_source.hpp"

namespace gpuminer::net {
namespace {

constexpr auto kLeastAge = std::chrono::seconds(14);  // of a job that is replaced just for more fees
// A CPU searches one header for minutes, and it is as old as its job. Templates are fetched every 15 s, so that this is
// less than a minute.
constexpr auto kGreatestAge = std::chrono::seconds(44);
const Bytes kAnyoneMaySign = {0x51};  // OP_TRUE

/// Throws InputError where blocks need a signature.
void require_no_signature(const BlockTemplate& block_template) {
    if (block_template.signet_challenge == kAnyoneMaySign) return;
    std::string challenge;
    if (block_template.signet_challenge) {
        challenge = fmt::format(" (challenge {})", to_hex(*block_template.signet_challenge).substr(0, 80));
    }
    throw InputError(fmt::format(
        "this signet's blocks have to be signed{}, which solo cannot do. Who has the key mines with Bitcoin Core's "
        "script and gpuminer as its search: contrib/signet/miner --cli=bitcoin-cli generate "
        "--grind-cmd='gpuminer grind' --address=ADDRESS --nbits=BITS",
        challenge));
}

}  // namespace

std::optional<std::uint32_t> easiest_bits(Chain chain) {
    switch (chain) {
        case Chain::kTest:
        case Chain::kTestnet4: return 0x1d00ffff;
        case Chain::kSimnet: return 0x207fffff;
        default: return std::nullopt;
    }
}

std::string time_of_day(std::int64_t unix_time) {
    const std::time_t time = unix_time;
    std::tm parts{};
    localtime_r(&time, &parts);
    return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void TemplateSource::use(std::size_t index, const nlohmann::json& reply) {
    const auto fresh = std::make_shared<const BlockTemplate>(parse_block_template(reply));
    if (*chain_ == Chain::kSignet || fresh->signet_challenge) require_no_signature(*fresh);
    TemplateJobOptions options;
    options.script = shared_.address.script;
    options.signature = shared_.options.coinbase_signature;
    options.first_extranonce = first_extranonce_;
    apply_window(*sources_[index], *fresh, options);
    check_own_block(*sources_[index], fresh->previous_hash);

    const bool news = index != active_ || is_news(*fresh);
    const bool easy_enough = is_easy_enough(*fresh);
    active_ = index;
    note_status(index, *fresh);
    bool wanted = false;
    bool ended = false;
    {
        const std::lock_guard lock(shared_.mutex);
        ended = shared_.ended_job == job_;  // its block may be refused by now, and nothing else is left of it
        wanted = easy_enough && !shared_.is_solved(fresh->previous_hash);
    }
    if (!wanted) {
        template_ = fresh;
        publish(nullptr);
    } else if (news || ended || !job_) {
        template_ = fresh;
        publish(std::make_shared<const TemplateJob>(fresh, std::move(options)));
    }
    long_poll_.watch(index, *chain_, sources_[index]->long_poll ? fresh->long_poll_id : "");
}

void TemplateSource::apply_window(Source& source, const BlockTemplate& block_template, TemplateJobOptions& options) {
    window_opens_.reset();
    const auto easiest = easiest_bits(*chain_);
    if (!easiest || block_template.nbits == *easiest) return;
    const std::uint32_t last = source.node.block_time(block_template.previous_hash) + kEasyBlockAfter;
    if (block_template.time > last) return;  // so the node is of another opinion
    options.latest_time = last;
    // By the node's clock, as the template's time shows it.
    window_opens_ = fetched_at_ + std::chrono::seconds(last + 1 - block_template.time);
}

bool TemplateSource::is_easy_enough(const BlockTemplate& block_template) {
    const double difficulty = difficulty_of(block_template.target);
    if (!shared_.options.max_difficulty || difficulty <= *shared_.options.max_difficulty) {
        if (told_of_window_) {
            told_of_window_.reset();
            shared_.say(Severity::kInfo, fmt::format("mining begins: the difficulty is {:.6g}", difficulty));
        }
        return true;
    }
    if (told_of_window_ == block_template.previous_hash) return false;
    told_of_window_ = block_template.previous_hash;
    std::string text = fmt::format("block {} has difficulty {:.6g}, more than --max-diff {:.6g}; ",
                                   block_template.height, difficulty, *shared_.options.max_difficulty);
    if (window_opens_) {
        const auto wait = std::chrono::duration<double>(*window_opens_ - Clock::now()).count();
        text += fmt::format("the minimum-difficulty window opens at {}, in {}",
                            time_of_day(std::time(nullptr) + static_cast<std::int64_t>(wait)), duration_text(wait));
    } else {
        text += "waiting for an easier one";
    }
    shared_.say(Severity::kInfo, text);
    return false;
}

bool is_worth_a_job(const BlockTemplate& current, const BlockTemplate& fresh, std::chrono::steady_clock::duration age) {
    if (current.previous_hash != fresh.previous_hash || current.nbits != fresh.nbits ||
        current.version != fresh.version) {
        return true;
    }
    // The same headers once more would be of no use: with a fixed time there is no new job.
    if (age >= kGreatestAge && fresh.time > current.time) return true;
    const bool differs = current.coinbase_value != fresh.coinbase_value ||
                         current.witness_commitment != fresh.witness_commitment ||
                         current.transactions.size() != fresh.transactions.size();
    return differs && age >= kLeastAge;
}

bool TemplateSource::is_news(const BlockTemplate& block_template) const {
    return !template_ || is_worth_a_job(*template_, block_template, Clock::now() - published_at_);
}

void TemplateSource::check_own_block(Source& source, const Hash256& previous) {
    const auto hash = submitter_.accepted_on(previous);
    if (!hash) return;
    try {
        if (source.node.standing(*hash) == ChainPosition::kOnBestChain) return;
    } catch (const RpcError& error) {  // it has looked at the tip before: another block
        if (error.failure != RpcFailure::kNoMethod) throw;
    }
    submitter_.left_the_chain(*hash, source.node.name());
}

void TemplateSource::publish(std::shared_ptr<const TemplateJob> job) {
    if (!job && !job_) return;
    job_ = std::move(job);
    published_at_ = Clock::now();
    if (shared_.callbacks.new_job) shared_.callbacks.new_job(job_);
}

void TemplateSource::note_status(std::size_t index, const BlockTemplate& block_template) {
    const double difficulty = difficulty_of(block_template.target);
    const std::lock_guard lock(shared_.mutex);
    shared_.height = block_template.height;
    WorkStatus& status = shared_.status;
    status.connected = true;
    status.server = sources_[index]->node.name();
    status.difficulty = status.network_difficulty = difficulty;
    status.details["chain"] = name_of(*chain_);
    status.details["height"] = block_template.height;
    status.details["transactions"] = block_template.transactions.size();
    status.details->erase("fees_sat");
    if (block_template.fees) status.details["fees_sat"] = *block_template.fees;
}

}  // namespace gpuminer::net
