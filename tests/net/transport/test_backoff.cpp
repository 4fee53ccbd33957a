// Pauses between attempts to connect.
#include "net/transport/backoff.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace gpuminer::net;
using std::chrono::milliseconds;

TEST_CASE("pauses double up to a minute, each within a quarter of that") {
    Backoff backoff(milliseconds(5000), 42);
    const std::vector<int> expected = {5000, 10000, 20000, 40000, 60000, 60000};
    std::set<std::int64_t> different;
    for (const int pause : expected) {
        const auto next = backoff.next().count();
        REQUIRE(next >= pause * 3 / 4);
        REQUIRE(next <= pause * 5 / 4);
        different.insert(next);
    }
    REQUIRE(different.size() == expected.size());
    backoff.reset();
    REQUIRE(backoff.next() <= milliseconds(6250));
    for (int i = 0; i < 50; ++i) REQUIRE(backoff.soon() <= milliseconds(1000));
    Backoff slow(milliseconds(90'000), 1);
    REQUIRE(slow.next() >= milliseconds(67'500));
    REQUIRE(slow.next() >= milliseconds(67'500));
}
