// Random schedules of pool sessions. No share is lost that a pool would take, none is sent twice on a connection, and
// none after a clean job that makes it stale. And faults that are planted into the client are found.
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/simulation/pool_schedule.hpp"
#include "tests/simulation/schedules.hpp"

using namespace gpuminer::simulation;
using namespace std::chrono_literals;

namespace {

constexpr PoolPace kShort{.shortest = 500ms, .longest = 8s, .events = 3s, .shares = 1500ms, .lines_until_cut = 60};

/// What the first of these schedules says that finds the fault.
std::optional<std::string> finding(ClientFault fault) {
    Tally tally;
    for (std::uint64_t schedule = 1; schedule <= 10'000; ++schedule) {
        try {
            run_pool_schedule(schedule, tally, kShort, PoolVersions::kV2, fault);
        } catch (const std::runtime_error& error) {
            std::cout << "found by schedule " << schedule << ": " << error.what() << std::endl;
            return error.what();
        }
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("random schedules of pool sessions") {
    run_schedules([](std::uint64_t seed, Tally& tally) { run_pool_schedule(seed, tally, kShort); });
}

TEST_CASE("random schedules of pool sessions with Stratum V2") {
    run_schedules([](std::uint64_t seed, Tally& tally) { run_pool_schedule(seed, tally, kShort, PoolVersions::kV2); });
}

TEST_CASE("faults of a client with Stratum V2 are found") {
    for (const ClientFault fault :
         {ClientFault::kMinesFutureJobs, ClientFault::kSendsAgain, ClientFault::kSendsStale,
          ClientFault::kJudgesByLastTarget, ClientFault::kIgnoresTarget, ClientFault::kKeepsExtranonce,
          ClientFault::kMiscountsBatches, ClientFault::kTakesOtherAnswers}) {
        INFO("fault " << static_cast<int>(fault));
        CHECK(finding(fault));
    }
}

TEST_CASE("a day of pool sessions, in virtual time") {
    const std::chrono::hours day(number_from_environment("GPUMINER_VIRTUAL_HOURS", kSanitized ? 2 : 24));
    run_schedules(seed_of_day(), 1, "GPUMINER_SCHEDULES_SEED", [day](std::uint64_t seed, Tally& tally) {
        run_pool_schedule(seed, tally,
                          {.shortest = day, .longest = day, .events = 2min, .shares = 30s, .lines_until_cut = 5000});
    });
}
