// Nodes that refuse, go away, come back or talk nonsense, and those whose blocks are not to be mined by everybody.
#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a wrong password ends it at once") {
    const test::TemporaryFolder folder;
    FakeNode node;
    Miner miner(options_for({node.url("user:hunter2")}, folder));
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kRefused);
    CHECK(contains(miner.sentence(), "user name and password"));
    CHECK_FALSE(contains(miner.sentence() + miner.said() + miner.client->status().details->dump(), "hunter2"));
}

TEST_CASE("a node that cannot be reached is tried as often as was asked") {
    const test::TemporaryFolder folder;
    SoloOptions options = options_for({"http://u:p@127.0.0.1:1"}, folder);
    options.retries = 2;
    Miner miner(options);
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kRefused);
    CHECK(contains(miner.sentence(), "http://127.0.0.1:1 cannot be reached"));
}

TEST_CASE("a node that is not ready yet is waited for") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    SoloOptions options = options_for({node.url()}, folder);
    options.retries = 0;  // which it does not count as: it answers
    SECTION("starting") {
        node.set_error("getblockchaininfo", -28, "Verifying blocks");
        Miner miner(options);
        CHECK(miner.wait_for_text("is still starting: 'Verifying blocks'"));
        node.reset("getblockchaininfo");
        CHECK(miner.wait_for_job());
        CHECK(miner.wait_for_text("gives work again"));
    }
    SECTION("initial sync") {
        node.set_result(
            "getblockchaininfo",
            {{"chain", "regtest"}, {"blocks", 345'000}, {"headers", 890'000}, {"initialblockdownload", true}});
        node.set_error("getblocktemplate", -10, "Bitcoin Core is in initial sync and waiting for blocks...");
        Miner miner(options);
        CHECK(miner.wait_for_text("initial sync"));
        CHECK(contains(miner.said(), "over 30 % of its 890,000 headers"));
        node.reset("getblocktemplate");
        CHECK(miner.wait_for_job());
    }
    SECTION("no peers") {
        node.set_error("getblocktemplate", -9, "Bitcoin Core is not connected!");
        Miner miner(options);
        CHECK(miner.wait_for_text("has no peers"));
        node.reset("getblocktemplate");
        CHECK(miner.wait_for_job());
    }
}

TEST_CASE("a testnet's node that knows too little is waited for, though it gives templates") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_chain("testnet4");
    json easiest = recorded_template("core_regtest_h128.json");
    easiest["bits"] = "1d00ffff";
    easiest.erase("target");
    node.set_template(easiest);
    SoloOptions options = options_for({node.url()}, folder);
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
                        {{"chain", "testnet4"}, {"blocks", 0}, {"headers", headers}, {"initialblockdownload", true}});
        Miner miner(options);
        REQUIRE(miner.wait_for_text("initial sync"));
        CHECK(node.calls("getblocktemplate") == 0);
        node.reset("getblockchaininfo");
        CHECK(miner.wait_for_job());
    }
    SECTION("not where the whole chain is known, and its last block is old") {
        node.set_result("getblockchaininfo",
                        {{"chain", "testnet4"}, {"blocks", 100}, {"headers", 100}, {"initialblockdownload", true}});
        Miner miner(options);
        CHECK(miner.wait_for_job());
    }
}

TEST_CASE("that a node has no peers is said once") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_chain("main");
    node.set_result("getconnectioncount", 0);
    node.set_error("getblocktemplate", -9, "Bitcoin Core is not connected!");
    SoloOptions options = options_for({node.url()}, folder);
    options.coinbase_address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    Miner miner(options);
    REQUIRE(miner.wait([&](Miner&) { return node.calls("getblocktemplate") >= 4; }));
    const std::string said = miner.said();
    const auto first = said.find("nobody would hear of a block");
    REQUIRE(first != std::string::npos);
    CHECK(said.find("has no peers: ", first) == std::string::npos);
}

TEST_CASE("while the node is away nothing is mined, and afterwards it goes on") {
    const test::TemporaryFolder folder;
    auto node = std::make_unique<FakeNode>();
    const std::uint16_t port = node->port();
    node->set_template(recorded_template("core_regtest_h128.json"));
    Miner miner(options_for({node->url()}, folder));
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    node.reset();
    CHECK(miner.wait([](Miner& m) { return !m.client->status().connected; }));
    CHECK(miner.wait([&](Miner&) { return true; }));
    CHECK(miner.job() == nullptr);

    // A block that was found just then is kept.
    miner.client->found(Miner::solve(job));
    CHECK(miner.wait_for_text("is kept and tried again"));
    CHECK(miner.client->status().unanswered == 1);
    node = std::make_unique<FakeNode>(port);
    node->set_template(recorded_template("core_regtest_h128.json"));
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
    CHECK(node->blocks().size() == 1);
    REQUIRE(miner.wait_for_job());
}

TEST_CASE("the second node steps in, and both get the block") {
    const test::TemporaryFolder folder;
    FakeNode second;
    second.set_template(recorded_template("core_regtest_h128.json"));
    SECTION("the first is not there") {
        Miner miner(options_for({"http://127.0.0.1:1", second.url()}, folder));
        REQUIRE(miner.wait_for_job());
        CHECK(miner.client->status().server == "http://127.0.0.1:" + std::to_string(second.port()));
        CHECK(miner.mine(1));
    }
    SECTION("both are there") {
        FakeNode first;
        first.set_template(recorded_template("core_regtest_h128.json"));
        Miner miner(options_for({first.url(), second.url()}, folder));
        REQUIRE(miner.wait_for_job());
        miner.client->found(Miner::solve(miner.job()));
        CHECK(miner.wait([&](Miner&) { return first.blocks().size() == 1 && second.blocks().size() == 1; }));
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
        miner.client->finish(std::chrono::seconds(1));
        CHECK(miner.client->status().accepted == 1);  // one block, however many nodes take it
    }
}

TEST_CASE("a block that nobody answered is submitted again after a restart") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    json ours;
    {
        Miner miner(options_for({node.url()}, folder));
        REQUIRE(miner.wait_for_job());
        const JobHit found = Miner::solve(miner.job());
        ours = {{"event", "block"},
                {"chain", "regtest"},
                {"hash", found.hit.hash.hex()},
                {"height", 128},
                {"block", miner.job()->block_hex(found)},
                {"work_id", ""}};
    }
    json other_chain = ours;
    other_chain["chain"] = "main";
    json answered = ours;
    answered["hash"] = std::string(64, 'a');
    {
        Journal journal(folder.path() / "solo.jsonl");
        for (const json& entry :
             {other_chain, answered, json{{"event", "submitted"}, {"hash", std::string(64, 'a')}, {"accepted", false}},
              json{{"event", "block"}, {"chain", "regtest"}, {"hash", 7}, {"height", "x"}}, json{{"event", nullptr}},
              ours}) {
            journal.append(entry);
        }
    }
    {
        Miner miner(options_for({node.url()}, folder));
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
        REQUIRE(node.blocks().size() == 1);
        CHECK(node.blocks()[0] == ours.at("block"));
    }
    Miner again(options_for({node.url()}, folder));
    REQUIRE(again.wait_for_job());
    CHECK(node.blocks().size() == 1);
}

TEST_CASE("signets") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_chain("signet");
    json signet = recorded_template("core_signet51.json");
    SoloOptions options = options_for({node.url()}, folder);
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
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_chain("test");
    // The previous block's time, as the fake node has it, is 1,700,000,000: the window opens 1200 s later.
    json testnet = recorded_template("core_regtest_h128.json");
    testnet["bits"] = "1c00ffff";
    testnet["target"] = "0000000000ffff00000000000000000000000000000000000000000000000000";
    testnet["mintime"] = 1'699'990'000;
    testnet["curtime"] = 1'700'000'800;
    node.set_template(testnet);
    node.set_result("getblockheader", {{"time", 1'700'000'000}, {"height", 127}, {"confirmations", 1}});
    SoloOptions options = options_for({node.url()}, folder);
    options.coinbase_address = kTestAddress;
    SECTION("until the window opens") {
        options.max_difficulty = 1;
        Miner miner(options);
        CHECK(miner.wait_for_text("the minimum-difficulty window opens at "));
        CHECK(contains(miner.said(), "difficulty 256, more than --max-diff 1"));
        CHECK(contains(miner.said(), ", in 6 min 4"));  // 401 s, less what has passed
        CHECK(miner.jobs() == 0);
        node.change_template([](json& t) {
            t["bits"] = "1d00ffff";
            t["target"] = "00000000ffff0000000000000000000000000000000000000000000000000000";
            t["curtime"] = 1'700'001'201;
        });
        REQUIRE(miner.wait_for_job());
        CHECK(miner.job()->header(0).nbits() == 0x1d00ffff);
        CHECK(miner.wait_for_text("mining begins: the difficulty is 1"));
    }
    SECTION("a difficult block is never dated into the window") {
        node.change_template([](json& t) { t["curtime"] = 1'700'001'200; });
        Miner miner(options);
        REQUIRE(miner.wait_for_job());
        // A second later the node's clock is in the window: it is asked again.
        const unsigned asked = node.calls("getblocktemplate");
        CHECK(miner.wait([&](Miner&) { return node.calls("getblocktemplate") > asked + 1; }));
        CHECK(miner.job()->header(0).time() <= 1'700'001'200);
    }
}

TEST_CASE("replies that make no sense are survived") {
    const test::TemporaryFolder folder;
    FakeNode node;
    const json good = recorded_template("core_regtest_h128.json");
    node.set_template(good);
    for (const json& bad : {json(nullptr), json("x"), json::object(), json({{"version", -1}}), json(7)}) {
        node.set_result("getblocktemplate", bad);
        SoloOptions options = options_for({node.url()}, folder);
        options.retries = 1;
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kRefused);
        CHECK_FALSE(miner.sentence().empty());
    }
    for (const json& bad : {json(nullptr), json("x"), json::object(), json({{"chain", 1}})}) {
        node.set_result("getblockchaininfo", bad);
        SoloOptions options = options_for({node.url()}, folder);
        options.retries = 1;
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK_FALSE(miner.sentence().empty());
    }
}

TEST_CASE("a client can be ended while its node says nothing") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    SECTION("from the beginning") {
        node.set_delay_ms(60'000);
        Miner miner(options_for({node.url()}, folder));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    SECTION("with a block under way") {
        Miner miner(options_for({node.url()}, folder));
        REQUIRE(miner.wait_for_job());
        node.set_delay_ms(60'000);
        miner.client->found(Miner::solve(miner.job()));
        miner.client->finish(std::chrono::milliseconds(50));
        CHECK(miner.client->status().unanswered == 1);
    }
}
