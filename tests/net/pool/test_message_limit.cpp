// Tests of the limit to messages that a pool brings about.
#include "net/pool/messages.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

TEST_CASE("messages are limited, and how many are left out is told", "[message_limit]") {
    std::vector<Notice> said;
    MessageLimit limit(300, 2, [&](Severity severity, std::string text) {
        said.push_back({severity, std::move(text)});
    });
    SteadyTime now = SteadyTime{} + std::chrono::hours(1);
    for (int i = 0; i < 10'000; ++i) limit.say(Severity::kInfo, "accepted", now += std::chrono::milliseconds(1));
    REQUIRE(said.size() > 300);
    REQUIRE(said.size() < 400);
    const std::size_t before = said.size();
    limit.say(Severity::kWarning, "a warning", now);  // is not kept from being said by them
    REQUIRE(said.size() == before + 1);
    REQUIRE(said.back() == Notice{Severity::kWarning, "a warning"});
    limit.say(Severity::kInfo, "later", now += std::chrono::seconds(10));
    REQUIRE(said.size() == before + 3);
    REQUIRE(contains(said[before + 1].text, "messages suppressed here"));
    REQUIRE(said.back() == Notice{Severity::kInfo, "later"});
}
