// Nodes that refuse, go away, come back or give malformed replies.
#include <chrono>
#include <thread>

#include "net/node/rpc.hpp"
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

TEST_CASE("a node that is busy is alive: its job stays, and it is asked again without a word") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    SoloOptions options = options_for({node.url()}, folder);
    options.retries = 0;
    options.retry_pause = 1000;  // which is for nodes that are gone
    Miner miner(options);
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    node.set_most_calls(0);
    miner.client->found(Miner::solve(job));  // for which it asks more than the tip
    REQUIRE(miner.wait([&](Miner&) { return node.refused() >= 6; }));
    CHECK(miner.client->status().connected);
    CHECK(miner.client->status().unanswered == 1);
    CHECK_FALSE(contains(miner.said(), "busy"));
    node.set_most_calls(1);
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(miner.wait_for_current_job([&](const TemplateJob& now) { return &now != job.get(); }));
    CHECK_FALSE(contains(miner.said(), "busy"));
    CHECK_FALSE(contains(miner.said(), "gives work again"));

    // Not for ever without a word.
    node.set_most_calls(0);
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(miner.wait_for_text("is busy: more calls are waiting than it accepts"));
    CHECK(miner.wait([](Miner& m) { return !m.client->status().connected; }));
    node.set_most_calls(1);
    CHECK(miner.wait_for_text("gives work again"));
}

TEST_CASE("a node that was too busy is called one at a time") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    node.set_most_calls(1);
    node.hold("getbestblockhash");  // which it is asked four times a second
    REQUIRE(miner.wait([&](Miner&) { return node.calls("getbestblockhash") > 0; }));
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(miner.wait([&](Miner&) { return node.refused() == 1; }));
    std::this_thread::sleep_for(2 * kBusyPause);  // the block waits for the call that is held
    node.release("getbestblockhash");
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(miner.mine(20));
    CHECK(node.refused() == 1);
    CHECK_FALSE(contains(miner.said(), "will be submitted again"));
}

TEST_CASE("every warning about the options is said") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "bitcoin.conf") << "includeconf=more.conf\nregtest=1\n";
    std::ofstream(folder.path() / "more.conf") << "includeconf=another.conf\n";
    SoloOptions options = options_for({}, folder);
    options.datadir = folder.path();
    options.insecure = true;
    Miner miner(options);
    CHECK(contains(miner.said(), "includeconf=another.conf is ignored"));
    CHECK(contains(miner.said(), "certificates are not verified"));
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
    CHECK(miner.job() == nullptr);

    // A block that was found just then is kept.
    miner.client->found(Miner::solve(job));
    CHECK(miner.wait_for_text("will be submitted again"));
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
    other_chain["hash"] = std::string(64, 'b');
    json answered = ours;
    answered["hash"] = std::string(64, 'a');
    {
        OpenedFile journal(folder.path() / "solo.jsonl");
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

TEST_CASE("a node that takes the connection and says nothing is named, and waited for") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    const std::string method = GENERATE("getblockchaininfo", "getblocktemplate");
    node.hold(method);
    const SoloOptions options = options_for({node.url()}, folder);
    SoloNodes nodes = find_nodes(options);
    nodes.access.front().name_silence = std::chrono::milliseconds(10);
    Miner miner(options, nodes);
    const std::string name = "http://127.0.0.1:" + std::to_string(node.port());
    REQUIRE(miner.wait_for_text(name + " has accepted the connection and is silent"));
    CHECK(miner.jobs() == 0);
    node.release(method);
    CHECK(miner.wait_for_job());
    CHECK(node.calls(method) == 1);  // the call that it was slow to answer
}

TEST_CASE("a client can be ended while its node says nothing") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    SECTION("from the beginning") {
        node.hold("getblockchaininfo");
        Miner miner(options_for({node.url()}, folder));
        CHECK(miner.wait([&](Miner&) { return node.calls("getblockchaininfo") == 1; }));
    }
    SECTION("with a block that it has accepted, and whose place is still asked for") {
        Miner miner(options_for({node.url()}, folder));
        REQUIRE(miner.wait_for_job());
        const JobHit found = Miner::solve(miner.job());
        node.hold("getbestblockhash");
        const unsigned before = node.calls("getbestblockhash");
        miner.client->found(found);
        // One asks whether the tip has changed, one where the block stands.
        REQUIRE(miner.wait([&](Miner&) { return node.calls("getbestblockhash") == before + 2; }));
        CHECK(miner.client->end().accepted == 1);
        REQUIRE(miner.wait([&](Miner&) { return journal_of(folder).size() == 2; }));
        CHECK(journal_of(folder)[1].at("accepted") == true);
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
