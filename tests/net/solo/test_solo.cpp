// Mining for full nodes: jobs from their templates, blocks back to them.
#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a template becomes a job, and what is found a block that the node accepts") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(recorded_template("core_regtest_txs.json"));
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    CHECK(contains(miner.said(), std::string("blocks pay ") + kRegtestAddress + " (P2WPKH): script " + kScript));

    const auto job = miner.job();
    const WorkStatus before = miner.status();
    CHECK(before.connected);
    CHECK(before.details->at("chain") == "regtest");
    CHECK(before.details->at("height") == 132);
    CHECK(before.details->at("script") == kScript);
    CHECK(before.details->at("transactions") == job->block_template().transactions.size());
    CHECK(before.server == node.url());
    const json request = node.last_request("getblocktemplate");
    CHECK(request.at(0).at("rules") == json({"segwit"}));

    const JobHit found = solve(job, 5);
    miner.found(found);
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
    REQUIRE(node.blocks().size() == 1);
    CHECK(node.blocks()[0] == job->block_hex(found));
    CHECK(contains(node.blocks()[0], kScript));

    // The next job builds on the block.
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.details->at("height") == 133; }));
    REQUIRE(miner.wait_for_job());
    CHECK(miner.job()->header(0).previous_hash() == found.hit.hash);

    REQUIRE(miner.wait([&] { return world.journal().size() == 2; }));
    const auto& entries = world.journal();
    CHECK(entries[0].at("event") == "block");
    CHECK(entries[0].at("block") == node.blocks()[0]);
    CHECK(entries[0].at("hash") == found.hit.hash.hex());
    CHECK(entries[1].at("event") == "submitted");
    CHECK(entries[1].at("accepted") == true);
}

TEST_CASE("a password that would go over a network unencrypted is warned of") {
    ScriptedWorld world;
    const auto said_of = [&](const std::string& node, const std::string& cookie) {
        SoloOptions options = options_for({node});
        options.cookie_file = cookie;
        return Miner(options).said();
    };
    const std::string warning = "anyone on the way to http://node.invalid:8332 can read its password";
    CHECK(contains(said_of("http://u:sekrit@node.invalid", ""), warning));
    CHECK_FALSE(contains(said_of("http://u:sekrit@node.invalid", ""), "sekrit"));
    CHECK(contains(said_of("http://node.invalid", "cookie"), warning));
    CHECK_FALSE(contains(said_of("http://node.invalid", ""), "password"));
    CHECK_FALSE(contains(said_of("https://u:p@node.invalid", ""), "can read its password"));
    CHECK_FALSE(contains(said_of("http://u:p@127.0.0.1:1", ""), "password"));
    CHECK_FALSE(contains(said_of("http://u:p@localhost:1", ""), "password"));
}

TEST_CASE("blocks one after the other, and no more than asked for") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    node.set_template(regtest_template());
    SoloOptions options = options_for({node.url()});
    options.blocks = 25;
    Miner miner(options);
    CHECK(miner.mine(25));
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kEnough);
    CHECK(miner.finish());
    CHECK(node.blocks().size() == 25);
    CHECK(miner.wait([&] { return world.journal().size() == 50; }));
}

TEST_CASE("of many hits of one job only the first is delivered") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    for (std::uint64_t i = 0; i < 1000; ++i) miner.found(solve(job, i));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(miner.finish());
    CHECK(node.blocks().size() == 1);
}

TEST_CASE("a new block of somebody else's preempts the job") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    const bool is_btcd = GENERATE(true, false);
    if (is_btcd) node.set_btcd();
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    const auto first = miner.job();
    const auto is_long_poll = [&] { return node.last_request("getblocktemplate").at(0).contains("longpollid"); };
    if (is_btcd) {
        CHECK(miner.wait([&] { return is_long_poll(); }));
    } else {
        CHECK(miner.wait([&] { return node.calls("getbestblockhash") >= 3; }));
        CHECK_FALSE(is_long_poll());  // it would take one of Bitcoin Core's threads
    }
    const std::string tip = node.extend();
    CHECK(miner.wait([&] { return miner.status().details->at("height") == 129; }));
    CHECK(
        miner.wait_for_current_job([&](const TemplateJob& job) { return job.header(0).previous_hash().hex() == tip; }));

    // What was found on the old one is sent all the same: it may yet win.
    miner.found(solve(first));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.stale == 1 && s.unanswered == 0; }));
    CHECK(contains(miner.said(), "another block came first"));
    CHECK(miner.status().reject_reasons.at("inconclusive") == 1);
}

TEST_CASE("a block that the node accepts, but not on its best chain, is found out") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(recorded_template("btcd_simnet_empty_h21.json"));
    node.set_chain("simnet");
    node.set_result("submitblock", nullptr);  // as btcd says of an orphan
    SoloOptions options = options_for({node.url()});
    options.coinbase_address = "SMJ2EsMn4iEfrGr1c7hW9KnykTxwffDZkM";
    Miner miner(options);
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.stale == 1; }));
    CHECK(miner.status().accepted == 0);
    CHECK(contains(miner.said(), "another block came first"));
    REQUIRE(miner.wait([&] { return world.journal().size() == 2; }));
    CHECK(world.journal().back().at("accepted") == false);
}

TEST_CASE("a refused block is told in words, and mining goes on") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    node.set_result("submitblock", "bad-cb-amount");
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.rejected == 1; }));
    CHECK(contains(miner.said(), "its coinbase pays more than subsidy and fees (bad-cb-amount)"));
    node.reset("submitblock");
    CHECK(miner.mine(1));
}

TEST_CASE("an address of another network is refused") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    SoloOptions options = options_for({node.url()});
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
        CHECK(
            contains(miner.sentence(), "expected a node on testnet3, but " + miner.status().server + " is on regtest"));
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
