// Chains with rules of their own: signets, test networks with the 20-minute rule and --max-diff.
#include "net/bitcoin/chain.hpp"
#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a testnet's node that knows too little is waited for, though it gives templates") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    const std::string chain = GENERATE("testnet4", "testnet5");
    node.set_chain(chain);
    json easiest = regtest_template();
    easiest["bits"] = chain == "testnet5" ? "1a0fffff" : "1d00ffff";
    easiest.erase("target");
    node.set_template(easiest);
    SoloOptions options = options_for({node.url()});
    options.coinbase_address = kTestAddress;
    SECTION("no peers") {
        node.set_result("getconnectioncount", 0);
        Miner miner(options);
        REQUIRE(miner.wait_for_text("has no peers"));
        CHECK(node.calls("getblocktemplate") == 0);
        node.reset("getconnectioncount");
        CHECK(miner.wait_for_job());
    }
    SECTION("initial sync") {
        const unsigned headers = GENERATE(0, 100);
        node.set_result("getblockchaininfo",
                        {{"chain", chain}, {"blocks", 0}, {"headers", headers}, {"initialblockdownload", true}});
        Miner miner(options);
        REQUIRE(miner.wait_for_text("initial sync"));
        CHECK(node.calls("getblocktemplate") == 0);
        node.reset("getblockchaininfo");
        CHECK(miner.wait_for_job());
    }
    SECTION("not where the whole chain is known, and its last block is old") {
        node.set_result("getblockchaininfo",
                        {{"chain", chain}, {"blocks", 100}, {"headers", 100}, {"initialblockdownload", true}});
        Miner miner(options);
        CHECK(miner.wait_for_job());
    }
}

TEST_CASE("the 20-minute rule is one of testnet3 and testnet4, not of testnet5") {
    CHECK(easiest_bits(Chain::kTest) == 0x1d00ffff);
    CHECK(easiest_bits(Chain::kTestnet4) == 0x1d00ffff);
    CHECK_FALSE(easiest_bits(Chain::kTestnet5));
}

TEST_CASE("signets") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    node.set_chain("signet");
    json signet = recorded_template("core_signet51.json");
    SoloOptions options = options_for({node.url()});
    options.coinbase_address = kTestAddress;
    SECTION("that anyone may mine on") {
        node.set_template(signet);
        Miner miner(options);
        REQUIRE(miner.wait_for_job());
        CHECK(node.last_request("getblocktemplate").at(0).at("rules") == json({"segwit", "signet"}));
    }
    SECTION("that ask for a signature") {
        signet["signet_challenge"] =
            "512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021"
            "964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae";
        node.set_template(signet);
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kBadInput);
        CHECK(contains(miner.sentence(), "--grind-cmd='gpuminer grind'"));
        CHECK(miner.jobs() == 0);
    }
}

TEST_CASE("with --max-diff, difficult blocks are waited out") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    node.set_chain("test");
    // The previous block's time, as the scripted node has it, is 1,700,000,000: the window opens 1200 s later.
    json testnet = regtest_template();
    testnet["bits"] = "1c00ffff";
    testnet["target"] = "0000000000ffff00000000000000000000000000000000000000000000000000";
    testnet["mintime"] = 1'699'990'000;
    testnet["curtime"] = 1'700'000'792;
    node.set_template(testnet);
    SoloOptions options = options_for({node.url()});
    options.coinbase_address = kTestAddress;
    SECTION("until the window opens") {
        options.max_difficulty = 1;
        Miner miner(options);
        CHECK(miner.wait_for_text("the minimum-difficulty window opens at "));
        CHECK(contains(miner.said(), "difficulty 256, more than --max-diff 1"));
        CHECK(contains(miner.said(), ", in 6 min 4"));  // 409 s, less what has passed
        CHECK(miner.jobs() == 0);
        node.change_template({{"bits", "1d00ffff"},
                              {"target", "00000000ffff0000000000000000000000000000000000000000000000000000"},
                              {"curtime", 1'700'001'201}});
        REQUIRE(miner.wait_for_job());
        CHECK(miner.job()->header(0).nbits() == 0x1d00ffff);
        CHECK(miner.wait_for_text("mining begins: the difficulty is 1"));
    }
    SECTION("a difficult block is never dated into the window") {
        node.change_template({{"curtime", 1'700'001'200}});
        Miner miner(options);
        REQUIRE(miner.wait_for_job());
        // A second later the node's clock is in the window: it is asked again.
        const unsigned asked = node.calls("getblocktemplate");
        CHECK(miner.wait([&] { return node.calls("getblocktemplate") > asked + 1; }));
        CHECK(miner.job()->header(0).time() <= 1'700'001'200);
    }
}
