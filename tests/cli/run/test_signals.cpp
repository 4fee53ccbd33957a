// The signal thread, with real signals sent to this process.
#include "cli/run/signals.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>

#include "tests/catch.hpp"
#include "tests/waiting.hpp"

using namespace gpuminer;

TEST_CASE("a stop that comes before the session is carried out when it begins") {
    SignalThread signals;
    signals.expect_session();
    kill(getpid(), SIGTERM);
    test::wait_until([&] { return signals.stop_signal() != 0; });
    CHECK(signals.stop_signal() == SIGTERM);
    int stops = 0;
    {
        const SignalThread::Session session(signals,
                                            {.stop = [&] { ++stops; }, .statistics = {}, .pause_or_resume = {}});
    }
    CHECK(stops == 1);
}

TEST_CASE("a stop during the session reaches it once") {
    SignalThread signals;
    std::promise<void> stopped;
    const SignalThread::Session session(
        signals, {.stop = [&] { stopped.set_value(); }, .statistics = {}, .pause_or_resume = {}});
    kill(getpid(), SIGINT);
    REQUIRE(stopped.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
}
