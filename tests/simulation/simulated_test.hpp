// Tests on simulated threads and their clock: each in several orders of its threads, none of which waits in real time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>

#include "tests/catch.hpp"
#include "tests/simulation/scheduler.hpp"

namespace gpuminer::test {

inline void on_simulated_threads(const std::function<void()>& body) {
    constexpr std::uint64_t kOrders = 5;
    for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
        INFO("order " << seed);
        simulation::Scheduler scheduler(seed, {.every_thread_starts = true});
        std::exception_ptr thrown;
        try {
            scheduler.run([&] {
                try {
                    body();
                } catch (...) {  // by REQUIRE, too
                    thrown = std::current_exception();
                    scheduler.fail("the test ends early");
                }
            });
        } catch (const simulation::Failure& failure) {
            if (thrown) std::rethrow_exception(thrown);
            FAIL(failure.what());
        }
    }
}

}  // namespace gpuminer::test
