// Random schedules of solo mining. No block that was found stays unsent, none is sent again after an answer, none is
// searched for on an old tip, and nothing is idle while a template is known.
#include "tests/simulation/schedules.hpp"
#include "tests/simulation/solo_schedule.hpp"

using namespace gpuminer::simulation;
using namespace std::chrono_literals;

TEST_CASE("random schedules of solo mining") {
    run_schedules([](std::uint64_t seed, Tally& tally) {
        run_solo_schedule(seed, tally, {.shortest = 500ms, .longest = 20s, .events = 6s, .blocks = 3s});
    });
}
