#include "net/solo/template_jobs.hpp"

#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"

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
    throw InputError(
        fmt::format("this signet's blocks have to be signed{}, which solo cannot do. With the key, mine with Bitcoin "
                    "Core's script and gpuminer as its search: contrib/signet/miner --cli=bitcoin-cli generate "
                    "--grind-cmd='gpuminer grind' --address=ADDRESS --nbits=BITS",
                    challenge));
}

// The local time of day, "HH:MM:SS".
std::string time_of_day(std::int64_t unix_time) {
    const std::tm parts = fmt::localtime(static_cast<std::time_t>(unix_time));
    return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

TemplateJobs::TemplateJobs(SoloState& state) : state_(state), first_extranonce_(state.seed) {}

void TemplateJobs::use(std::shared_ptr<const BlockTemplate> fresh, const Origin& origin) {
    if (origin.chain == Chain::kSignet || fresh->signet_challenge) require_no_signature(*fresh);
    TemplateJobOptions options;
    options.script = state_.address.script;
    options.signature = state_.options.coinbase_signature;
    options.first_extranonce = first_extranonce_;
    apply_window(*fresh, origin, options);

    const bool news =
        origin.index != index_ || !template_ || is_worth_a_job(*template_, *fresh, steady_now() - published_at_);
    const bool easy_enough = is_easy_enough(*fresh);
    index_ = origin.index;
    note_status(*fresh, origin);
    const bool ended = state_.is_ended(job_.get());  // its block may be refused by now, and nothing else is left of it
    if (!easy_enough || state_.is_reserved(fresh->previous_hash)) {
        template_ = std::move(fresh);
        drop_job();
    } else if (news || ended || !job_) {
        template_ = std::move(fresh);
        publish(std::make_shared<const TemplateJob>(template_, std::move(options)));
    }
}

bool TemplateJobs::has_window(const BlockTemplate& fresh, Chain chain) {
    const auto easiest = easiest_bits(chain);
    return easiest && fresh.nbits != *easiest;
}

void TemplateJobs::apply_window(const BlockTemplate& fresh, const Origin& origin, TemplateJobOptions& options) {
    window_opens_.reset();
    if (!origin.previous_time) return;
    const std::uint32_t last = *origin.previous_time + kEasyBlockAfter;
    if (fresh.time > last) return;  // so the node is of another opinion
    options.latest_time = last;
    // By the node's clock, as the template's time shows it.
    window_opens_ = origin.fetched_at + std::chrono::seconds(last + 1 - fresh.time);
}

bool TemplateJobs::is_easy_enough(const BlockTemplate& fresh) {
    const double difficulty = difficulty_of(fresh.target);
    if (!state_.options.max_difficulty || difficulty <= *state_.options.max_difficulty) {
        if (told_of_window_) {
            told_of_window_.reset();
            state_.say(Severity::kInfo, fmt::format("mining begins: the difficulty is {:.6g}", difficulty));
        }
        return true;
    }
    if (told_of_window_ == fresh.previous_hash) return false;
    told_of_window_ = fresh.previous_hash;
    std::string text = fmt::format("block {} has difficulty {:.6g}, more than --max-diff {:.6g}; ", fresh.height,
                                   difficulty, *state_.options.max_difficulty);
    if (window_opens_) {
        const auto wait = std::chrono::duration<double>(*window_opens_ - steady_now()).count();
        text += fmt::format("the minimum-difficulty window opens at {}, in {}",
                            time_of_day(std::time(nullptr) + static_cast<std::int64_t>(wait)), duration_text(wait));
    } else {
        text += "waiting for an easier one";
    }
    state_.say(Severity::kInfo, text);
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

void TemplateJobs::publish(std::shared_ptr<const TemplateJob> job) {
    if (!job && !job_) return;
    job_ = std::move(job);
    published_at_ = steady_now();
    if (state_.callbacks.new_job) state_.callbacks.new_job(job_);
}

void TemplateJobs::note_status(const BlockTemplate& fresh, const Origin& origin) {
    nlohmann::json details = {
        {"chain", name_of(origin.chain)}, {"height", fresh.height}, {"transactions", fresh.transactions.size()}};
    if (fresh.fees) details["fees_sat"] = *fresh.fees;
    state_.note_template(origin.node, difficulty_of(fresh.target), fresh.height, details);
}

}  // namespace gpuminer::net
