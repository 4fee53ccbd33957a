// Tests of progress lines, of searches and of pool and solo, and of the cycles in the documents of pool and solo.
#include "cli/report/mining_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/terminal/progress.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/text/format.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

TEST_CASE("the progress line of a search says how long it takes at most, once there is a rate") {
    SearchProgress progress;
    progress.hashes_total = 1000;
    progress.hashes_done = 250;
    SearchRequest request;
    request.goal = Goal::kFirst;
    CHECK(progress_text(progress, 5, request).starts_with("5.00 H/s, 25.0 % of the range, at most 2 min 30 s left, "));
    const std::string at_rest = progress_text(progress, 0, request);
    CHECK(at_rest.starts_with("0.00 H/s, 25.0 % of the range, "));
    CHECK(at_rest.ends_with(" of a hit"));
    CHECK(at_rest.find("left") == std::string::npos);
    request.goal = Goal::kAll;
    CHECK(progress_text(progress, 0, request) == "0.00 H/s, 25.0 % of the range");
}

TEST_CASE("the progress line of a miner") {
    SearchProgress progress;
    progress.endless = true;
    net::WorkStatus status;
    CHECK(mining_progress_text(progress, 0, status, false) == "no work from a pool, accepted 0, rejected 0, stale 0");
    CHECK(mining_progress_text(progress, 0, status, true) == "no work from a node, accepted 0, rejected 0, stale 0");

    status.logged_in = true;
    CHECK(mining_progress_text(progress, 0, status, false) == "logged in, no job yet, accepted 0, rejected 0, stale 0");
    status.unreadable = true;
    CHECK(mining_progress_text(progress, 0, status, false) ==
          "logged in, the job could not be read, accepted 0, rejected 0, stale 0");

    status.connected = true;
    status.accepted = 1234;
    status.rejected = 5;
    status.stale = 6;
    status.difficulty = 1;
    // 2^32 hashes at 2^30 a second: 4 s
    CHECK(mining_progress_text(progress, 1073741824.0, status, false) ==
          "1.07 GH/s, accepted 1,234, rejected 5, stale 6, a share every 4.0 s on average");
    CHECK(mining_progress_text(progress, 1073741824.0, status, true) ==
          "1.07 GH/s, accepted 1,234, rejected 5, stale 6, a block every 4.0 s on average");
    progress.seconds = 2;
    status.accepted_difficulty = 0.75;  // 1.5 times 2^30 a second
    CHECK(mining_progress_text(progress, 1073741824.0, status, false) ==
          "1.07 GH/s (1.61 GH/s by shares), accepted 1,234, rejected 5, stale 6, a share every 4.0 s on average");
    CHECK(mining_progress_text(progress, 1073741824.0, status, true) ==
          "1.07 GH/s, accepted 1,234, rejected 5, stale 6, a block every 4.0 s on average");
    status.accepted_difficulty = 0;
    // Without a rate, nothing is expected.
    CHECK(mining_progress_text(progress, 0, status, false) == "0.00 H/s, accepted 1,234, rejected 5, stale 6");

    status.unanswered = 2;
    CHECK(mining_progress_text(progress, 0, status, false) ==
          "0.00 H/s, accepted 1,234, rejected 5, stale 6, 2 without an answer");
    status.unanswered = 0;

    progress.paused = true;
    CHECK(mining_progress_text(progress, 1e9, status, false) == "paused, accepted 1,234, rejected 5, stale 6");
    progress.paused = false;
    progress.waiting = true;
    CHECK(mining_progress_text(progress, 1e9, status, false) == "waiting for devices");
}

TEST_CASE("documents of pool and solo say what a cycle is, as those of mine do") {
    MiningReport report;
    for (const bool solo : {false, true}) {
        report.solo = solo;
        report.search.counter_hz = 54e6;
        const auto counted = mining_json(report);
        CHECK(counted.at("tsc_hz") == 54e6);
        CHECK(counted.at("cycle_unit") == kCycleCounter.units);
        report.search.counter_hz = 0;
        CHECK(mining_json(report).at("tsc_hz").is_null());
    }
}

TEST_CASE("the progress line of a search says how long at most, and the chance of a hit in what is left") {
    SearchProgress progress;
    progress.hashes_done = 1'000'000;
    progress.hashes_total = 4'000'000;
    SearchRequest request;
    request.target = target_from_difficulty(std::ldexp(3e6, -32));  // a hit in three million
    CHECK(progress_text(progress, 1e6, request) ==
          "1.00 MH/s, 25.0 % of the range, at most 3.0 s left, 63 % chance of a hit");
    request.goal = Goal::kAll;
    CHECK(progress_text(progress, 1e6, request) == "1.00 MH/s, 25.0 % of the range, 3.0 s left");
    progress.waiting = true;
    CHECK(progress_text(progress, 1e6, request) == "waiting for devices");
}

TEST_CASE("what is to be expected of a search") {
    SearchRequest request;
    request.target = target_from_difficulty(1);  // a hit in 2^32 and a little
    CHECK(expectation_text(request) == "63 % chance of a hit in 4,294,967,296 hashes");
    request.start = request.end = 5;
    CHECK(expectation_text(request) == "2.3e-08 % chance of a hit in 1 hash");
    request.end = 8;
    request.version_mask = 0x6000;
    CHECK(expectation_text(request) == "3.7e-07 % chance of a hit in 16 hashes");

    request = {};
    const auto is_wanted = [](const EmbeddedBlock& block) { return std::string_view(block.name) == "100000"; };
    request.header = parse_header_hex(std::ranges::find_if(embedded_blocks(), is_wanted)->header_hex).header;
    request.target = target_from_nbits(request.header.nbits());
    CHECK(expectation_text(request).starts_with("this header is solved: "));
    request.end = request.header.nonce() - 1;
    CHECK(expectation_text(request) == "0.00044 % chance of a hit in 274,148,111 hashes");
}

TEST_CASE("chances are percent, never more than they are") {
    CHECK(chance_text(0) == "no chance");
    CHECK(chance_text(1e-9) == "1e-07 % chance");
    CHECK(chance_text(0.0123) == "1.2 % chance");
    CHECK(chance_text(1) == "63 % chance");
    CHECK(chance_text(100) == "over 99.9 % chance");
}

TEST_CASE("lines that scripts of other miners read") {
    CHECK(compact_difficulty(0.07142857) == "0.07143");
    CHECK(compact_difficulty(1024) == "1024");
    CHECK(compact_difficulty(9999) == "9999");
    CHECK(compact_difficulty(10'000) == "10K");
    CHECK(compact_difficulty(150'000) == "150K");
    CHECK(compact_difficulty(1'536'000) == "1.536M");
    CHECK(compact_difficulty(1.4e14) == "140T");

    web::RateWindow rates;
    CHECK(speed_text(rates) == "speed 10s/60s/15m n/a n/a n/a H/s");
    for (int second = 0; second <= 70; ++second) rates.add(second, static_cast<std::uint64_t>(second) * 39'800'000);
    CHECK(speed_text(rates) == "speed 10s/60s/15m 39.8 39.8 n/a MH/s");

    net::WorkStatus status;
    CHECK(connection_text(status) == "no server yet");
    status.server = "stratum+tcp://pool.example:3333";
    status.connected = true;
    status.latency_ms = 38.4;
    status.difficulty = 1024;
    CHECK(connection_text(status) ==
          "stratum+tcp://pool.example:3333 gives work, answers after 38 ms (median), difficulty 1024");
    status.accepted = 12;
    status.rejected = 1;
    status.reject_reasons = {{"Above target", 1}};
    SearchProgress progress;
    progress.best = target_from_difficulty(4096);
    CHECK(shares_text(status, progress) == "accepted 12, rejected 1, stale 0, 1 × Above target, best difficulty 4096");
}
