// The loop over schedules, numbered by the environment, which says how to repeat one that fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <iostream>

#include "tests/catch.hpp"
#include "tests/simulation/sanitized.hpp"
#include "tests/simulation/tally.hpp"

namespace gpuminer::simulation {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// GPUMINER_SCHEDULES_SEED, or the date as 20261231: each day has schedules of its own.
inline std::uint64_t seed_of_day() {
    const std::time_t now = std::time(nullptr);
    std::tm date{};
    gmtime_r(&now, &date);
    const int today = (date.tm_year + 1900) * 10'000 + (date.tm_mon + 1) * 100 + date.tm_mday;
    return number_from_environment("GPUMINER_SCHEDULES_SEED", static_cast<std::uint64_t>(today));
}

/// Number `first` and those after it, until one throws; `variable` is what repeats that one.
inline void run_schedules(std::uint64_t first, std::uint64_t count, const char* variable,
                          const std::function<void(std::uint64_t seed, Tally&)>& run) {
    Tally tally;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t schedule = first; schedule < first + count; ++schedule) {
        try {
            run(schedule, tally);
        } catch (const std::exception& error) {
            FAIL("schedule " << schedule << ": " << error.what() << "\nrepeat it with " << variable << "=" << schedule);
        }
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::cout << "GPUMINER_SCHEDULES=" << count << " from " << first << ": " << taken.count() << " s";
    for (const auto& [what, times] : tally) std::cout << ", " << times << ' ' << what;
    std::cout << std::endl;
    SUCCEED();
}

/// GPUMINER_SCHEDULES of them (10,000), which the day chooses; or the one of GPUMINER_SCHEDULE.
inline void run_schedules(const std::function<void(std::uint64_t seed, Tally&)>& run) {
    if (const std::uint64_t one = number_from_environment("GPUMINER_SCHEDULE", 0); one != 0)
        return run_schedules(one, 1, "GPUMINER_SCHEDULE", run);
    constexpr std::uint64_t kOfOneDay = 1'000'000'000;
    const std::uint64_t count = number_from_environment("GPUMINER_SCHEDULES", kSanitized ? 1000 : 10'000);
    run_schedules(seed_of_day() * kOfOneDay, count, "GPUMINER_SCHEDULE", run);
}

}  // namespace gpuminer::simulation
