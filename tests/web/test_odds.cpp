// Tests of the odds: waiting times and chances against figures worked out by hand.
#include "web/odds.hpp"

#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::web;

TEST_CASE("the odds of a lottery miner") {
    // 100 TH: 1e14 hashes a second; a block of the main network in 2026 takes about 1.4e14 × 2^32 hashes.
    const Odds odds = odds_of(1e14, 65536, 1.4e14);
    REQUIRE(odds.share_seconds);
    CHECK(*odds.share_seconds == Approx(2.8147).epsilon(1e-4));  // 2^48 / 1e14
    REQUIRE(odds.block_seconds);
    CHECK(*odds.block_seconds / (365.25 * 86400) == Approx(190.5).epsilon(1e-3));
    CHECK(odds.block_per_day == Approx(1.437e-5).epsilon(1e-3));
    CHECK(odds.block_per_year == Approx(0.005235).epsilon(1e-3));  // less than 1 / 190.5: a second block counts once
    CHECK(contains(odds.warning, "expect no block"));
    CHECK(contains(odds.warning, "191 years"));
}

TEST_CASE("a chance that is close to none is not lost in rounding") {
    const Odds odds = odds_of(1, 0, 1e15);
    CHECK(odds.block_per_day == Approx(86400 / (1e15 * 4294967296.0)));
    CHECK_FALSE(odds.share_seconds);
}

TEST_CASE("shares that take more than an hour are warned of first, and of blocks all the same") {
    const std::string both = odds_of(1e6, 1, 1e14).warning;
    CHECK(both.starts_with("a share takes 1 h 11 min on average at this rate: ask for an easier difficulty; "));
    CHECK(contains(both, "; expect no block: at this rate one takes 14 billion years on average"));
    CHECK(odds_of(1.2e6, 1, 1).warning.empty());  // 59.7 min
}

TEST_CASE("on regtest there is nothing to warn of") {
    const Odds odds = odds_of(1e6, 0, 4.6565423739069247e-10);
    CHECK(odds.warning.empty());
    CHECK(odds.block_per_day == 1);
    CHECK(contains(odds_text(odds), "over 99.9 % chance within a day"));
}

TEST_CASE("of what is not known nothing is said") {
    const Odds odds = odds_of(0, 1, 1);
    CHECK_FALSE(odds.share_seconds);
    CHECK_FALSE(odds.block_seconds);
    CHECK(odds_text(odds).empty());
    CHECK(odds_of(1e6, 0, 0).warning.empty());
}
