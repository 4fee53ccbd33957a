// Tests of the suggested difficulty: the user's, or one that follows the devices' rate.
#include "net/pool/suggested_difficulty.hpp"
#include "tests/catch.hpp"

using namespace gpuminer::net;

namespace {

SteadyTime at(int seconds) { return SteadyTime(std::chrono::hours(1)) + std::chrono::seconds(seconds); }

}  // namespace

TEST_CASE("without a choice of the user's, a share in 7.5 s is suggested", "[suggested_difficulty]") {
    SuggestedDifficulty suggestion({});
    REQUIRE_FALSE(suggestion.value(0, at(0)));
    REQUIRE(suggestion.value(4294967296.0, at(0)).value() == Approx(7.5));
}

TEST_CASE("a rate that changes much changes the suggestion, once a minute at most", "[suggested_difficulty]") {
    SuggestedDifficulty suggestion({});
    (void)suggestion.value(4294967296.0, at(0));
    REQUIRE_FALSE(suggestion.update(4294967296.0 * 1.9, at(100)));
    REQUIRE_FALSE(suggestion.update(4294967296.0 / 1.9, at(100)));
    REQUIRE_FALSE(suggestion.update(0, at(100)));
    REQUIRE_FALSE(suggestion.update(4294967296.0 * 3, at(59)));
    REQUIRE(suggestion.update(4294967296.0 * 3, at(60)).value() == Approx(22.5));
    REQUIRE_FALSE(suggestion.update(4294967296.0, at(119)));
    REQUIRE(suggestion.update(4294967296.0, at(120)).value() == Approx(7.5));
}

TEST_CASE("the user's difficulty stays, whatever the rate", "[suggested_difficulty]") {
    SuggestedDifficulty suggestion(0.25);
    REQUIRE(suggestion.value(0, at(0)) == 0.25);
    REQUIRE(suggestion.value(1e15, at(0)) == 0.25);
    REQUIRE_FALSE(suggestion.update(1e15, at(1000)));
}
