// The progress line of pool and solo.
#include "cli/mining_report.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

TEST_CASE("the progress line of a miner") {
    SearchProgress progress;
    progress.endless = true;
    net::WorkStatus status;
    CHECK(mining_progress_text(progress, 0, status, false) == "no work from a pool, accepted 0, rejected 0, stale 0");
    CHECK(mining_progress_text(progress, 0, status, true) == "no work from a node, accepted 0, rejected 0, stale 0");

    status.logged_in = true;
    CHECK(mining_progress_text(progress, 0, status, false) == "logged in, no job yet, accepted 0, rejected 0, stale 0");

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
