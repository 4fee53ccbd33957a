// Random schedules of searches. Every nonce is hashed exactly once by a device that is trusted, no hit is lost, and no
// thread waits for ever, whatever devices and users do.
#include "tests/simulation/schedules.hpp"
#include "tests/simulation/search_schedule.hpp"

using namespace gpuminer::simulation;

TEST_CASE("random schedules of searches") { run_schedules(run_search_schedule); }
