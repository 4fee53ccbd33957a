// Mining for full nodes: jobs from their templates, blocks back to them.
#include <atomic>
#include <future>

#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a template becomes a job, and what is found a block that the node accepts") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_txs.json"));
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    CHECK(contains(miner.said(), std::string("blocks pay ") + kRegtestAddress + " (P2WPKH): script " + kScript));

    const auto job = miner.job();
    const WorkStatus before = miner.client->status();
    CHECK(before.connected);
    CHECK(before.details->at("chain") == "regtest");
    CHECK(before.details->at("height") == 132);
    CHECK(before.details->at("script") == kScript);
    CHECK(before.details->at("transactions") == job->block_template().transactions.size());
    CHECK(before.server == "http://127.0.0.1:" + std::to_string(node.port()));
    const json request = node.last_request("getblocktemplate");
    CHECK(request.at(0).at("rules") == json({"segwit"}));

    const JobHit found = Miner::solve(job, 5);
    miner.client->found(found);
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
    REQUIRE(node.blocks().size() == 1);
    CHECK(node.blocks()[0] == job->block_hex(found));
    CHECK(contains(node.blocks()[0], kScript));

    // The next job builds on the block.
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.details->at("height") == 133; }));
    REQUIRE(miner.wait_for_job());
    CHECK(miner.job()->header(0).previous_hash() == found.hit.hash);

    REQUIRE(miner.wait([&](Miner&) { return journal_of(folder).size() == 2; }));
    const auto entries = journal_of(folder);
    CHECK(entries[0].at("event") == "block");
    CHECK(entries[0].at("block") == node.blocks()[0]);
    CHECK(entries[0].at("hash") == found.hit.hash.hex());
    CHECK(entries[1].at("event") == "submitted");
    CHECK(entries[1].at("accepted") == true);
}

TEST_CASE("a block that is found while a template is parsed is submitted before the parse ends") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    const SoloOptions options = options_for({node.url()}, folder);
    SoloNodes nodes = find_nodes(options);
    std::promise<void> parsing, end;
    std::atomic<unsigned> parses = 0, ended = 0;
    nodes.access.front().before_parse = [&] {
        if (++parses != 2) return;
        parsing.set_value();
        end.get_future().wait();
        ++ended;
    };
    Miner miner(options, nodes);
    REQUIRE(miner.wait_for_job());
    node.set_result("getbestblockhash", std::string(64, 'a'));  // so that it is asked for another template
    parsing.get_future().wait();
    miner.client->found(Miner::solve(miner.job()));
    CHECK(miner.wait([&](Miner&) { return node.blocks().size() == 1; }));
    CHECK(ended == 0);
    node.reset("getbestblockhash");
    end.set_value();
    CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
}

TEST_CASE("a password that would go over a network unencrypted is warned of") {
    const test::TemporaryFolder folder;
    const auto said_of = [&](const std::string& node, const std::string& cookie) {
        SoloOptions options = options_for({node}, folder);
        options.cookie_file = cookie;
        options.retries = 0;
        return Miner(options).said();
    };
    const std::string warning = "anyone on the way to http://node.invalid:8332 can read its password";
    CHECK(contains(said_of("http://u:sekrit@node.invalid", ""), warning));
    CHECK_FALSE(contains(said_of("http://u:sekrit@node.invalid", ""), "sekrit"));
    CHECK(contains(said_of("http://node.invalid", folder.path() / "cookie"), warning));
    CHECK_FALSE(contains(said_of("http://node.invalid", ""), "password"));
    CHECK_FALSE(contains(said_of("https://u:p@node.invalid", ""), "can read its password"));
    CHECK_FALSE(contains(said_of("http://u:p@127.0.0.1:1", ""), "password"));
    CHECK_FALSE(contains(said_of("http://u:p@localhost:1", ""), "password"));
}

TEST_CASE("blocks one after the other, and no more than asked for") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_close_connections(GENERATE(false, true));
    node.set_template(recorded_template("core_regtest_h128.json"));
    SoloOptions options = options_for({node.url()}, folder);
    options.blocks = 25;
    Miner miner(options);
    CHECK(miner.mine(25));
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kEnough);
    miner.client->finish(std::chrono::seconds(1));
    CHECK(node.blocks().size() == 25);
    CHECK(miner.wait([&](Miner&) { return journal_of(folder).size() == 50; }));
}

TEST_CASE("of many hits of one job only the first is delivered") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    for (std::uint64_t i = 0; i < 1000; ++i) miner.client->found(Miner::solve(job, i));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    miner.client->finish(std::chrono::seconds(1));
    CHECK(node.blocks().size() == 1);
}

TEST_CASE("miners with the same address have different work") {
    const test::TemporaryFolder folder, other_folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    Miner one(options_for({node.url()}, folder)), other(options_for({node.url()}, other_folder));
    REQUIRE(one.wait_for_job());
    REQUIRE(other.wait_for_job());
    CHECK_FALSE(one.job()->header(0).merkle_root() == other.job()->header(0).merkle_root());
}

TEST_CASE("a new block of somebody else's preempts the job") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    const bool is_btcd = GENERATE(true, false);
    if (is_btcd) node.set_result("version", {{"btcdjsonrpcapi", json::object()}});
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    const auto first = miner.job();
    const auto is_long_poll = [&] { return node.last_request("getblocktemplate").at(0).contains("longpollid"); };
    if (is_btcd) {
        CHECK(miner.wait([&](Miner&) { return is_long_poll(); }));
    } else {
        CHECK(miner.wait([&](Miner&) { return node.calls("getbestblockhash") >= 3; }));
        CHECK_FALSE(is_long_poll());  // it would take one of Bitcoin Core's threads
    }
    node.change_template([&](json& t) {
        t["previousblockhash"] = std::string(64, '1');
        t["height"] = 129;
    });
    CHECK(miner.wait([&](Miner& m) { return m.client->status().details->at("height") == 129; }));
    CHECK(miner.wait_for_current_job(
        [](const TemplateJob& job) { return job.header(0).previous_hash().hex() == std::string(64, '1'); }));

    // What was found on the old one is sent all the same: it may yet win.
    miner.client->found(Miner::solve(first));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.stale == 1 && s.unanswered == 0; }));
    CHECK(contains(miner.said(), "another block came first"));
    CHECK(miner.client->status().reject_reasons.at("inconclusive") == 1);
}

TEST_CASE("a block that the node accepts, but not on its best chain, is found out") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("btcd_simnet_empty_h21.json"));
    node.set_chain("simnet");
    node.set_result("submitblock", nullptr);  // as btcd says of an orphan
    SoloOptions options = options_for({node.url()}, folder);
    options.coinbase_address = "SMJ2EsMn4iEfrGr1c7hW9KnykTxwffDZkM";
    Miner miner(options);
    REQUIRE(miner.wait_for_job());
    miner.client->found(Miner::solve(miner.job()));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.stale == 1; }));
    CHECK(miner.client->status().accepted == 0);
    CHECK(contains(miner.said(), "another block came first"));
    REQUIRE(miner.wait([&](Miner&) { return journal_of(folder).size() == 2; }));
    CHECK(journal_of(folder).back().at("accepted") == false);
}

TEST_CASE("a refused block is told in words, and mining goes on") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    node.set_result("submitblock", "bad-cb-amount");
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    miner.client->found(Miner::solve(miner.job()));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.rejected == 1; }));
    CHECK(contains(miner.said(), "its coinbase pays more than subsidy and fees (bad-cb-amount)"));
    node.reset("submitblock");
    CHECK(miner.mine(1));
}

TEST_CASE("an address of another network is refused") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    SoloOptions options = options_for({node.url()}, folder);
    SECTION("by the node's word") {
        options.coinbase_address = kTestAddress;
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kBadInput);
        CHECK(contains(miner.sentence(), "regtest"));
        CHECK(miner.jobs() == 0);
    }
    SECTION("by the user's word, before anything is connected") {
        options.coinbase_address = kTestAddress;
        options.chain = "regtest";
        CHECK_THROWS_AS(Miner(options), InputError);
    }
    SECTION("a node on another chain than the user's word") {
        options.coinbase_address = kTestAddress;
        options.chain = "test";
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kBadInput);
        CHECK(contains(miner.sentence(),
                       "expected a node on testnet3, but " + miner.client->status().server + " is on regtest"));
    }
    SECTION("a chain that nobody knows") {
        node.set_chain("dogenet\x1b");
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kBadInput);
    }
    SECTION("no address at all, no such chain, no room for the text, no URL") {
        options.coinbase_address = "hello";
        CHECK_THROWS_AS(Miner(options), InputError);
        options.coinbase_address = kRegtestAddress;
        options.chain = "mainnett";
        CHECK_THROWS_AS(Miner(options), InputError);
        options.chain.clear();
        options.coinbase_signature = std::string(200, 'x');
        CHECK_THROWS_AS(Miner(options), InputError);
        options.coinbase_signature.clear();
        options.nodes = {"gopher://x"};
        CHECK_THROWS_AS(Miner(options), InputError);
    }
}
