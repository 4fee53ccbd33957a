// Tests of unanswered shares: their connections, and shares taken over from an earlier run.
#include <fstream>

#include <nlohmann/json.hpp>

#include "net/journal/journal.hpp"
#include "net/pool/pending_shares.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "verushash/algorithm.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

// The shares of one pool, with a share sent as request 4 on each of connections 1 and 2.
struct TwoConnections {
    TwoConnections() {
        pending.subscribed(0, {"session", "0a0b0c0d", 4, false});
        for (const std::uint64_t connection : {1, 2}) {
            StratumShare share;
            share.extranonce1 = "0a0b0c0d";
            share.extranonce2 = "00000000";
            share.nonce = static_cast<std::uint32_t>(connection);
            pending.sent(pending.add({0, connection}, share, ""), connection, 4, at(connection));
        }
    }
    static SteadyTime at(std::uint64_t second) { return SteadyTime{} + std::chrono::seconds(second); }

    Folder folder;
    PoolOptions options = pool_options(folder, {"pool.example:3333"});
    Journal journal{options.journal, {}};
    PendingShares pending{journal, options.pools, kSha256d};
};

}  // namespace

TEST_CASE("answers on two connections to one pool are kept apart", "[pending_shares]") {
    TwoConnections two;
    ShareReply accepted;
    accepted.verdict = SubmitVerdict::kAccepted;
    const auto second = two.pending.replied(2, 4, accepted, TwoConnections::at(5));
    REQUIRE(second);
    REQUIRE(second->pending.share.nonce == 2);
    REQUIRE(second->latency_ms == Approx(3000));
    REQUIRE_FALSE(two.pending.replied(2, 4, accepted, TwoConnections::at(5)));
    REQUIRE_FALSE(two.pending.replied(3, 4, accepted, TwoConnections::at(5)));
    REQUIRE(two.pending.in_flight(1) == 1);
    REQUIRE(two.pending.in_flight(2) == 0);
    const auto first = two.pending.replied(1, 4, accepted, TwoConnections::at(5));
    REQUIRE(first);
    REQUIRE(first->pending.share.nonce == 1);
}

TEST_CASE("a connection that ends leaves the shares of others alone", "[pending_shares]") {
    TwoConnections two;
    two.pending.connection_lost(3);  // one that never logged in
    REQUIRE(two.pending.unsent(0).empty());
    two.pending.connection_lost(1);
    REQUIRE(two.pending.unsent(0).size() == 1);
    REQUIRE(two.pending.unsent(0)[0]->share.nonce == 1);
    REQUIRE(two.pending.unsent(0)[0]->again);
    REQUIRE(two.pending.in_flight(1) == 0);
    REQUIRE(two.pending.in_flight(2) == 1);
    REQUIRE_FALSE(two.pending.last_sent(1));
    REQUIRE(two.pending.last_sent(2) == TwoConnections::at(2));
    // Sent again on the connection that is left: under that one's number.
    two.pending.sent(*two.pending.unsent(0)[0], 2, 5, TwoConnections::at(6));
    REQUIRE(two.pending.in_flight(2) == 2);
    REQUIRE(two.pending.last_sent(2) == TwoConnections::at(6));
    REQUIRE(two.pending.resent() == 1);
}

TEST_CASE("shares of a file that was edited are left out where their numbers are none", "[pending_shares]") {
    const Folder folder;
    const PoolOptions options = pool_options(folder, {"pool.example:3333"});
    for (const char* const nonce : {"1", "-1", "1 x", "123456789", "", "00000002"}) {
        const nlohmann::json share{{"event", "share"},
                                   {"id", std::string("share ") + nonce},
                                   {"pool", canonical_url(options.pools[0].url)},
                                   {"user", options.pools[0].user},
                                   {"extranonce1", "0a0b0c0d"},
                                   {"job", "job"},
                                   {"extranonce2", "00000000"},
                                   {"ntime", "65000000"},
                                   {"nonce", nonce},
                                   {"hash", std::string(64, '0')},
                                   {"difficulty", 1.0},
                                   {"block", false}};
        std::ofstream(folder.path / "pool.jsonl", std::ios::app) << share.dump() << "\n";
    }
    Journal journal(options.journal, {});
    PendingShares pending(journal, options.pools, kSha256d);
    const std::vector<PendingShare*> recovered = pending.unsent(0);
    REQUIRE(recovered.size() == 2);
    CHECK(recovered[0]->share.nonce == 1);
    CHECK(recovered[1]->share.nonce == 2);
}

TEST_CASE("shares of another algorithm for the same pool are left alone, blocks too", "[pending_shares]") {
    const Folder folder;
    const PoolOptions options = pool_options(folder, {"pool.example:3333"});
    const auto write = [&](const char* event, nlohmann::json entry) {
        entry["event"] = event;
        entry["pool"] = canonical_url(options.pools[0].url);
        entry["user"] = options.pools[0].user;
        std::ofstream(folder.path / "pool.jsonl", std::ios::app) << entry.dump() << "\n";
    };
    for (const char* const algorithm : {"", "verushash"}) {  // none: of a time when there was one
        nlohmann::json share{{"id", std::string("share ") + algorithm},
                             {"extranonce1", "0a0b0c0d"},
                             {"job", algorithm},
                             {"extranonce2", "00000000"},
                             {"ntime", "65000000"},
                             {"nonce", "00000001"},
                             {"previous", std::string(64, '1')},
                             {"hash", std::string(64, '0')},
                             {"difficulty", 1.0},
                             {"block", true}};
        if (*algorithm != '\0') share["algorithm"] = algorithm;
        write("share", share);
    }
    write("session",
          {{"algorithm", "verushash"}, {"session", "s"}, {"extranonce1", "0a0b0c0d"}, {"extranonce2_size", 28}});
    const auto jobs_of = [&](const Algorithm& algorithm) {
        Journal journal(options.journal, {});
        PendingShares pending(journal, options.pools, algorithm);
        CHECK(pending.last_session(0).session == (&algorithm == &kVerusHash ? "s" : ""));
        std::vector<std::string> jobs;
        for (const PendingShare* share : pending.unsent(0)) jobs.push_back(share->share.job_id);
        return jobs;
    };
    CHECK(jobs_of(kSha256d) == std::vector<std::string>{""});
    CHECK(jobs_of(kVerusHash) == std::vector<std::string>{"verushash"});
}
