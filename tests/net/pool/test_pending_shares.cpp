// The book of shares alone: what belongs to which connection.
#include "net/pool/pending_shares.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/pool_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::net::test;

namespace {

// A book of one pool, with a share sent as request 4 on each of connections 1 and 2.
struct TwoConnections {
    TwoConnections() {
        book.subscribed(0, {"session", "0a0b0c0d", 4, false});
        for (const std::uint64_t connection : {1, 2}) {
            StratumShare share;
            share.extranonce1 = "0a0b0c0d";
            share.extranonce2 = "00000000";
            share.nonce = static_cast<std::uint32_t>(connection);
            book.sent(book.add(0, connection, share, ""), connection, 4, at(connection));
        }
    }
    static SteadyTime at(std::uint64_t second) { return SteadyTime{} + std::chrono::seconds(second); }

    Folder folder;
    PoolOptions options = pool_options(folder, {"pool.example:3333"});
    Journal journal{options.journal};
    PendingShares book{journal, options.pools, [](const std::string&) {}};
};

}  // namespace

TEST_CASE("answers on two connections to one pool are kept apart", "[pool_book]") {
    TwoConnections two;
    ShareReply accepted;
    accepted.accepted = true;
    const auto second = two.book.answered(2, 4, accepted, TwoConnections::at(5));
    REQUIRE(second);
    REQUIRE(second->share.share.nonce == 2);
    REQUIRE(second->latency_ms == Approx(3000));
    REQUIRE_FALSE(two.book.answered(2, 4, accepted, TwoConnections::at(5)));
    REQUIRE_FALSE(two.book.answered(3, 4, accepted, TwoConnections::at(5)));
    REQUIRE(two.book.under_way(1) == 1);
    REQUIRE(two.book.under_way(2) == 0);
    const auto first = two.book.answered(1, 4, accepted, TwoConnections::at(5));
    REQUIRE(first);
    REQUIRE(first->share.share.nonce == 1);
}

TEST_CASE("a connection that ends leaves the shares of others alone", "[pool_book]") {
    TwoConnections two;
    two.book.connection_lost(3);  // one that never logged in
    REQUIRE(two.book.unsent(0).empty());
    two.book.connection_lost(1);
    REQUIRE(two.book.unsent(0).size() == 1);
    REQUIRE(two.book.unsent(0)[0]->share.nonce == 1);
    REQUIRE(two.book.unsent(0)[0]->again);
    REQUIRE(two.book.under_way(1) == 0);
    REQUIRE(two.book.under_way(2) == 1);
    REQUIRE_FALSE(two.book.last_sent(1));
    REQUIRE(two.book.last_sent(2) == TwoConnections::at(2));
    // Sent again on the connection that is left: under that one's number.
    two.book.sent(*two.book.unsent(0)[0], 2, 5, TwoConnections::at(6));
    REQUIRE(two.book.under_way(2) == 2);
    REQUIRE(two.book.last_sent(2) == TwoConnections::at(6));
    REQUIRE(two.book.resent() == 1);
}
