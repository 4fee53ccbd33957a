#include "net/pool_texts.hpp"

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/format.hpp"
#include "net/address.hpp"

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

std::string long_wait_text(const StratumJob& job, double hash_rate) {
    constexpr double kHour = 3600;
    const auto seconds = share_seconds(job, hash_rate);
    if (!seconds || *seconds <= kHour) return {};
    return fmt::format(
        "at {} a share of this pool's difficulty {:.4g} takes {}: ask for an easier one (--suggest-diff; many pools "
        "take it in the password, as d={:.3g}), or use the pool's port for small miners",
        rate_text(hash_rate), job.difficulty(), duration_text(*seconds), job.difficulty() * 7.5 / *seconds);
}

std::string payment_text(const StratumJob& job, const std::string& user) {
    const std::string name = user.substr(0, user.find('.'));
    std::string paid;
    try {
        paid = job.payment_to(parse_address(name).script);
    } catch (const InputError&) {
        return {};  // a user name of another kind
    }
    if (!paid.empty()) return fmt::format("the coinbase pays {} {}", name, paid);
    return fmt::format("the coinbase does not pay {} itself, as is usual for pools that share rewards", name);
}

}  // namespace gpuminer::net
