#include "web/odds.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "host/block/hash256.hpp"
#include "host/text/format.hpp"

namespace gpuminer::web {
namespace {

constexpr double kHour = 3600, kDay = 24 * kHour, kYear = 365.25 * kDay;
constexpr double kRare = 10 * kYear;  // on average; a block that takes longer is not to be expected

/// duration_text() ends with days: "191 years", "3.2 million years", as the page has it.
std::string long_duration_text(double seconds) {
    if (seconds < 2 * kYear) return duration_text(seconds);
    constexpr std::array kThousands = {"", " thousand", " million", " billion", " trillion", " quadrillion"};
    double count = seconds / kYear;
    if (count >= 1e18) return fmt::format("{:.1e} years", count);
    std::size_t name = 0;
    for (; count >= 999.5 && name + 1 < kThousands.size(); ++name) count /= 1000;
    return fmt::format("{} years", count < 9.95 ? fmt::format("{:.2g}{}", count, kThousands.at(name))
                                                : fmt::format("{:.0f}{}", count, kThousands.at(name)));
}

}  // namespace

Odds odds_of(double hash_rate, double share_difficulty, double network_difficulty) {
    Odds odds;
    if (!(hash_rate > 0)) return odds;
    if (share_difficulty > 0) odds.share_seconds = share_difficulty * kHashesPerDifficulty / hash_rate;
    if (network_difficulty > 0) {
        odds.block_seconds = network_difficulty * kHashesPerDifficulty / hash_rate;
        odds.block_per_day = -std::expm1(-kDay / *odds.block_seconds);
        odds.block_per_year = -std::expm1(-kYear / *odds.block_seconds);
    }
    if (odds.share_seconds && *odds.share_seconds > kHour) {
        odds.warning = fmt::format("a share takes {} on average at this rate: ask for an easier difficulty",
                                   long_duration_text(*odds.share_seconds));
    }
    if (odds.block_seconds && *odds.block_seconds > kRare) {
        odds.warning += fmt::format("{}expect no block: at this rate one takes {} on average",
                                    odds.warning.empty() ? "" : "; ", long_duration_text(*odds.block_seconds));
    }
    return odds;
}

std::string odds_text(const Odds& odds) {
    std::string text;
    if (odds.share_seconds) text = fmt::format("a share every {}", long_duration_text(*odds.share_seconds));
    if (odds.block_seconds) {
        text += fmt::format("{}a block every {}, {} within a day, {} within a year", text.empty() ? "" : "; ",
                            long_duration_text(*odds.block_seconds), chance_text(kDay / *odds.block_seconds),
                            chance_text(kYear / *odds.block_seconds));
    }
    return text;
}

}  // namespace gpuminer::web
