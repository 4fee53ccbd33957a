// Random schedules of pool sessions. No share is lost that a pool would take, none is sent twice on a connection, and
// none after a clean job that makes it stale.
#include "tests/simulation/pool_schedule.hpp"
#include "tests/simulation/schedules.hpp"

using namespace gpuminer::simulation;
using namespace std::chrono_literals;

TEST_CASE("random schedules of pool sessions") {
    run_schedules([](std::uint64_t seed, Tally& tally) {
        run_pool_schedule(seed, tally,
                          {.shortest = 500ms, .longest = 8s, .events = 3s, .shares = 1500ms, .lines_until_cut = 60});
    });
}

TEST_CASE("a day of pool sessions, in virtual time") {
    const std::chrono::hours day(number_from_environment("GPUMINER_VIRTUAL_HOURS", kSanitized ? 2 : 24));
    run_schedules(seed_of_day(), 1, "GPUMINER_SCHEDULES_SEED", [day](std::uint64_t seed, Tally& tally) {
        run_pool_schedule(seed, tally,
                          {.shortest = day, .longest = day, .events = 2min, .shares = 30s, .lines_until_cut = 5000});
    });
}
