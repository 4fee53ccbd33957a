#include "net/pool/messages.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/address.hpp"
#include "net/bitcoin/coinbase_view.hpp"
#include "net/pool/suggested_difficulty.hpp"

namespace gpuminer::net {

std::optional<double> share_seconds(const StratumJob& job, double hash_rate) {
    if (!(hash_rate > 0)) return std::nullopt;
    return expected_hashes(job.target()) / hash_rate;
}

std::string difficulty_text(const StratumJob& job, double hash_rate) {
    const auto seconds = share_seconds(job, hash_rate);
    if (!seconds) return fmt::format("difficulty {:.4g}", job.difficulty());
    return fmt::format("difficulty {:.4g}, a share every {} at {}", job.difficulty(), duration_text(*seconds),
                       rate_text(hash_rate));
}

std::string version_text(const StratumJob& job) {
    const int bits = std::popcount(job.version_mask());
    if (bits > 0) return fmt::format("{} version bits are rolled", bits);
    return job.parameters().v2 ? "the pool fixes the version" : "";
}

const char* where_to_ask(bool suggests) {
    return suggests ? "--suggest-diff" : "many pools take a difficulty in the password";
}

std::string long_wait_text(const StratumJob& job, double hash_rate, bool suggests) {
    constexpr double kHour = 3600;
    const auto seconds = share_seconds(job, hash_rate);
    if (!seconds || *seconds <= kHour) return {};
    const std::string wait = fmt::format("at {} a share of this pool's difficulty {:.4g} takes {}",
                                         rate_text(hash_rate), job.difficulty(), duration_text(*seconds));
    if (job.parameters().v2) {
        return wait +
               ": by Stratum V2 the pool decides, by the hash rate that it is told (--advertise-hashrate); or "
               "use its port for small miners";
    }
    const std::string in_password =  // in the units of pools that can be asked
        suggests ? fmt::format("; many pools take it in the password, as d={:.3g}",
                               job.difficulty() * kShareSeconds / *seconds)
                 : "";
    return fmt::format("{}: ask for an easier one ({}{}), or use the pool's port for small miners", wait,
                       where_to_ask(suggests), in_password);
}

std::string payment_text(const StratumJob& job, const std::string& user) {
    const Bytes coinbase = job.coinbase(0);
    if (coinbase.empty()) return {};
    const std::string name = user.substr(0, user.find('.'));
    std::string paid;
    try {
        paid = coinbase_payment(coinbase, parse_address(name).script);
    } catch (const InputError&) {
        return {};  // a user name of another kind
    }
    if (!paid.empty()) return fmt::format("the coinbase pays {} {}", name, paid);
    return fmt::format("the coinbase does not pay {} itself, as is usual for pools that share rewards", name);
}

std::string bip54_text(const StratumJob& job) {
    const std::optional<bool> follows = follows_bip54(job.coinbase(0));
    if (!follows) return {};
    return fmt::format("the coinbase {} BIP 54 (nLockTime = height - 1, nSequence other than ffffffff)",
                       *follows ? "follows" : "does not follow");
}

/// "0x" and 40 hex digits
bool is_ethereum_address(std::string_view text) {
    constexpr std::size_t kLength = 42;
    return text.size() == kLength && text.starts_with("0x") && is_hex(text.substr(2));
}

std::string address_warning(const StratumJob& job, const std::string& user) {
    // The main network was below two million for the last time in 2012, and has been above 10^14 since 2024; testnet5
    // begins at a million (BIP 95), and testnet4 was at 1.3 thousand million in 2026.
    constexpr double kMost = 2e6, kLeast = 1e12;
    const std::string name = user.substr(0, user.find('.'));
    if (!job.coinbase(0).empty() && is_ethereum_address(name))
        return fmt::format("{} is an Ethereum address, which hardly any Bitcoin pool pays to", name);
    if (job.coinbase(0).empty() || !looks_like_address(name)) return {};  // else not Bitcoin's addresses
    try {
        const Address address = parse_address(name);
        const double difficulty = difficulty_of(target_from_nbits(job.notify().nbits));
        const bool of_main = address.is_valid_on(Chain::kMain);
        if (!of_main && difficulty > kLeast)
            return fmt::format("{} is an address of a test network, but this pool mines on the main one", name);
        if (of_main && difficulty < kMost)
            return fmt::format("{} is an address of the main network, but this pool mines on another one", name);
        return {};
    } catch (const InputError& error) {
        return fmt::format("{}; nobody would be paid for your shares", error.what());
    }
}

void JobMessages::job(const std::string& pool, const std::string& user, const StratumJob& job, double hash_rate) {
    double& known = difficulties_.try_emplace(job.notify().channel, difficulty_).first->second;
    const double before = std::exchange(known, job.difficulty());
    const bool other_difficulty = job.difficulty() != before;
    if (!std::exchange(greeted_, true)) {
        const std::string versions = version_text(job);
        say_(Severity::kInfo, fmt::format("logged in to {} as {}; {}{}{}", pool, user, difficulty_text(job, hash_rate),
                                          versions.empty() ? "" : "; ", versions));
        if (const std::string text = payment_text(job, user); !text.empty()) say_(Severity::kInfo, text);
        if (const std::string text = bip54_text(job); !text.empty()) say_(Severity::kDebug, text);
        if (const std::string text = address_warning(job, user); !text.empty()) say_(Severity::kWarning, text);
    } else if (other_difficulty) {
        const double change = job.difficulty() / before;
        say_(change > 4 || change < 0.25 ? Severity::kInfo : Severity::kDebug, difficulty_text(job, hash_rate));
    } else if (job.notify().previous_hash != previous_hash_) {
        say_(Severity::kDebug, fmt::format("new block: job {} builds on it", quoted_text(job.id())));
    }
    const std::string warning = long_wait_text(job, hash_rate, suggests_);
    if (other_difficulty && !warning.empty()) say_(Severity::kWarning, warning);
    difficulty_ = job.difficulty();
    previous_hash_ = job.notify().previous_hash;
}

void MessageLimit::say(Severity severity, const std::string& sentence, SteadyTime now) {
    if (!say_) return;
    Lane& lane = severity == Severity::kDebug ? debug_ : severity < Severity::kWarning ? info_ : warning_;
    if (!lane.bucket.take(now)) {
        ++lane.left_out;
        return;
    }
    if (const auto left_out = std::exchange(lane.left_out, 0); left_out > 0) {
        say_(severity, fmt::format("{} messages suppressed here: too many at once", left_out));
    }
    say_(severity, sentence);
}

}  // namespace gpuminer::net
