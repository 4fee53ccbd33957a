// Live terminal lines of a run.
#include "cli/report/terminal_view.hpp"

#include "host/block/hash256.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

DeviceStatus device(const std::string& backend, const std::string& kind, unsigned number, std::uint64_t hashes) {
    DeviceStatus status;
    status.report.info.name = device_name(backend, kind, number);
    status.report.info.backend = backend;
    status.report.info.kind = kind;
    status.report.hashes = hashes;
    return status;
}

SearchProgress progress_at(double seconds, std::uint64_t hashes) {
    SearchProgress progress;
    progress.endless = true;
    progress.seconds = seconds;
    progress.hashes_done = hashes;
    return progress;
}

}  // namespace

TEST_CASE("The terminal's view has devices, rates, odds, server and shares") {
    constexpr std::uint64_t kMillion = 1'000'000;
    TerminalView view;
    std::vector<DeviceStatus> devices;
    for (unsigned second = 0; second <= 20; ++second) {
        const std::uint64_t done = second * kMillion;
        devices = {device("cpu", "avx2", 0, 10 * done), device("cpu", "avx2", 1, 11 * done),
                   device("cuda", "sm_90", 0, 9000 * done)};
        view.second({.progress = progress_at(second, 9021 * done), .devices = devices});
    }
    SensorReport sensors;
    sensors.devices["cpu:avx2#0"].temperature_c = 71.6;
    sensors.devices["cuda:sm_90#0"].temperature_c = 61.4;
    sensors.devices["cuda:sm_90#0"].power_now_w = 349.6;
    view.measured(sensors);
    net::WorkStatus status;
    status.server = "stratum+tcp://pool.example:3333";
    status.connected = true;
    status.latency_ms = 38.4;
    status.difficulty = 1024;
    status.network_difficulty = 1e14;
    status.accepted = 12;
    SearchProgress now = progress_at(20, 20 * 9021 * kMillion);
    now.best = target_from_difficulty(4096);
    CHECK(view.text({now, 9.021e9, {}, status, "the progress line"}) ==
          "cpu:avx2        21.00 MH/s, 2 threads, 72 °C\n"
          "cuda:sm_90#0     9.00 GH/s, 61 °C, 350 W\n"
          "speed 10s/60s/15m 9.0 n/a n/a GH/s, best difficulty 4096, up 20.0 s\n"
          "a block every 1.5 million years, 1.8e-07 % chance within a day, 6.6e-05 % chance within a year\n"
          "stratum+tcp://pool.example:3333 gives work, answers after 38 ms (median), difficulty 1024\n"
          "the progress line");
    CHECK(view.speed() == "speed 10s/60s/15m 9.0 n/a n/a GH/s");

    SECTION("a paused thread has a line of its own, and its rate ends slowly") {
        devices[1].paused_by_user = true;
        devices[2].paused_for_heat = true;
        for (unsigned second = 21; second <= 40; ++second) {
            devices[0].report.hashes += 10 * kMillion;
            view.second({.progress = progress_at(second, second), .devices = devices});
        }
        CHECK(view.text({.progress = now})
                  .starts_with("cpu:avx2        10.00 MH/s, 1 thread, 72 °C\n"
                               "cpu:avx2          0.00 H/s, 1 thread, paused\n"
                               "cuda:sm_90#0      0.00 H/s, 61 °C, 350 W, too hot\n"));
    }
    SECTION("many devices take a few lines") {
        for (unsigned number = 1; number <= 7; ++number) devices.push_back(device("cuda", "sm_90", number, 0));
        view.second({.progress = progress_at(21, 21 * 9021 * kMillion), .devices = devices});
        const std::string text = view.text({.progress = now});
        CHECK(text.find("cuda:sm_90#3") != std::string::npos);
        CHECK(text.find("cuda:sm_90#4") == std::string::npos);
        CHECK(text.find("\nand 4 more devices\n") != std::string::npos);
    }
    SECTION("the next search of a run begins anew") {
        view.end({});
        for (unsigned second = 0; second <= 11; ++second) {
            devices = {device("cpu", "avx2", 0, second * kMillion)};
            view.second({.progress = progress_at(second, second * kMillion), .devices = devices});
        }
        CHECK(view.text({.progress = progress_at(11, 11 * kMillion)}) == "cpu:avx2, 1 thread, 72 °C, up 11.0 s\n");
    }
}

TEST_CASE("A device that is alone has no rate beside that of the progress line") {
    TerminalView view;
    view.second({.progress = progress_at(1, 1'000'000), .devices = {device("cuda", "sm_90", 0, 1'000'000)}});
    SensorReport sensors;
    sensors.devices["cuda:sm_90#0"].temperature_c = 61.4;
    view.measured(sensors);
    CHECK(view.text({.progress = progress_at(1, 1'000'000), .text = "1.00 MH/s"}) ==
          "cuda:sm_90#0, 61 °C, up 1.0 s\n"
          "1.00 MH/s");
}

TEST_CASE("Before anything is known, the terminal's view is short") {
    const TerminalView view;
    CHECK(view.text({.text = "waiting for devices"}) ==
          "speed 10s/60s/15m n/a n/a n/a H/s, up 0.0 s\n"
          "waiting for devices");
}
