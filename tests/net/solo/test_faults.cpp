// Nodes that refuse, go away, come back or give malformed replies.
#include <fstream>

#include "net/node/rpc.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a wrong password ends it at once") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    node.set_raw({401, ""});
    Miner miner(options_for({"http://user:hunter2@" + node.host()}));
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kRefused);
    CHECK(contains(miner.sentence(), "user name and password"));
    CHECK_FALSE(contains(miner.sentence() + miner.said() + miner.status().details->dump(), "hunter2"));
}

TEST_CASE("a node that cannot be reached is tried as often as was asked") {
    ScriptedWorld world;
    SoloOptions options = options_for({kNobody});
    options.retries = 2;
    Miner miner(options);
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kRefused);
    CHECK(contains(miner.sentence(), std::string(kNobody) + " cannot be reached"));
}

TEST_CASE("a node that is not ready yet is waited for") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    SoloOptions options = options_for({node.url()});
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
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    SoloOptions options = options_for({node.url()});
    options.retries = 0;
    options.retry_pause = 1000;  // which is for nodes that are gone
    Miner miner(options);
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    node.set_most_calls(0);
    miner.found(solve(job));  // for which it asks more than the tip
    REQUIRE(miner.wait([&] { return node.refused() >= 6; }));
    CHECK(miner.status().connected);
    CHECK(miner.status().unanswered == 1);
    CHECK_FALSE(contains(miner.said(), "busy"));
    node.set_most_calls(1);
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(miner.wait_for_current_job([&](const TemplateJob& now) { return &now != job.get(); }));
    CHECK_FALSE(contains(miner.said(), "busy"));
    CHECK_FALSE(contains(miner.said(), "gives work again"));

    // Not for ever without a word.
    node.set_most_calls(0);
    miner.found(solve(miner.job()));
    REQUIRE(miner.wait_for_text("is busy: more calls are waiting than it accepts"));
    CHECK(miner.wait([&] { return !miner.status().connected; }));
    node.set_most_calls(1);
    CHECK(miner.wait_for_text("gives work again"));
}

TEST_CASE("a node that was too busy is called one at a time") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    node.set_most_calls(1);
    node.hold("getbestblockhash");  // which it is asked four times a second
    REQUIRE(miner.wait([&] { return node.calls("getbestblockhash") > 0; }));
    miner.found(solve(miner.job()));
    REQUIRE(miner.wait([&] { return node.refused() == 1; }));
    world.pass(2 * kBusyPause);  // the block waits for the call that is held
    node.release("getbestblockhash");
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(miner.mine(20));
    CHECK(node.refused() == 1);
    CHECK_FALSE(contains(miner.said(), "will be submitted again"));
}

TEST_CASE("every warning about the options is said") {
    ScriptedWorld world;
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "bitcoin.conf") << "includeconf=more.conf\nregtest=1\n";
    std::ofstream(folder.path() / "more.conf") << "includeconf=another.conf\n";
    SoloOptions options = options_for({});
    options.datadir = folder.path();
    options.insecure = true;
    Miner miner(options);
    CHECK(contains(miner.said(), "includeconf=another.conf is ignored"));
    CHECK(contains(miner.said(), "certificates are not verified"));
}

TEST_CASE("that a node has no peers is said once") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    node.set_chain("main");
    node.set_result("getconnectioncount", 0);
    node.set_error("getblocktemplate", -9, "Bitcoin Core is not connected!");
    SoloOptions options = options_for({node.url()});
    options.coinbase_address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    Miner miner(options);
    REQUIRE(miner.wait([&] { return node.calls("getblocktemplate") >= 4; }));
    const std::string said = miner.said();
    const auto first = said.find("nobody would hear of a block");
    REQUIRE(first != std::string::npos);
    CHECK(said.find("has no peers: ", first) == std::string::npos);
}

TEST_CASE("while the node is away nothing is mined, and afterwards it goes on") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    node.set_up(false);
    CHECK(miner.wait([&] { return !miner.status().connected; }));
    CHECK(miner.job() == nullptr);
    CHECK(contains(miner.status().details->at("last_error").get<std::string>(), node.host()));  // for `status`

    // A block that was found just then is kept.
    miner.found(solve(job));
    CHECK(miner.wait_for_text("will be submitted again"));
    CHECK(miner.status().unanswered == 1);
    node.set_up(true);
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
    CHECK(node.blocks().size() == 1);
    REQUIRE(miner.wait_for_job());
    CHECK(miner.status().details->at("last_error") == "");
}

TEST_CASE("the second node steps in, and both get the block") {
    ScriptedWorld world;
    ScriptedNode& second = world.add_node(regtest_template());
    SECTION("the first is not there") {
        Miner miner(options_for({kNobody, second.url()}));
        REQUIRE(miner.wait_for_job());
        CHECK(miner.status().server == second.url());
        CHECK(miner.mine(1));
    }
    SECTION("both are there") {
        ScriptedNode& first = world.add_node(regtest_template());
        Miner miner(options_for({first.url(), second.url()}));
        REQUIRE(miner.wait_for_job());
        miner.found(solve(miner.job()));
        CHECK(miner.wait([&] { return first.blocks().size() == 1 && second.blocks().size() == 1; }));
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
        CHECK(miner.finish());
        CHECK(miner.status().accepted == 1);  // one block, however many nodes take it
    }
}

TEST_CASE("a block that nobody answered is submitted again after a restart") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    json ours;
    {
        Miner miner(options_for({node.url()}));
        REQUIRE(miner.wait_for_job());
        const JobHit found = solve(miner.job());
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
    world.leave_in_journal({other_chain,
                            answered,
                            {{"event", "submitted"}, {"hash", std::string(64, 'a')}, {"accepted", false}},
                            {{"event", "block"}, {"chain", "regtest"}, {"hash", 7}, {"height", "x"}},
                            {{"event", nullptr}},
                            ours});
    {
        Miner miner(options_for({node.url()}));
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
        REQUIRE(node.blocks().size() == 1);
        CHECK(node.blocks()[0] == ours.at("block"));
    }
    Miner again(options_for({node.url()}));
    REQUIRE(again.wait_for_job());
    CHECK(node.blocks().size() == 1);
}

TEST_CASE("replies that make no sense are survived") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    const json good = regtest_template();
    node.set_template(good);
    for (const json& bad : {json(nullptr), json("x"), json::object(), json({{"version", -1}}), json(7)}) {
        node.set_result("getblocktemplate", bad);
        SoloOptions options = options_for({node.url()});
        options.retries = 1;
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK(miner.outcome() == Outcome::kRefused);
        CHECK_FALSE(miner.sentence().empty());
    }
    for (const json& bad : {json(nullptr), json("x"), json::object(), json({{"chain", 1}})}) {
        node.set_result("getblockchaininfo", bad);
        SoloOptions options = options_for({node.url()});
        options.retries = 1;
        Miner miner(options);
        CHECK(miner.wait_until_over());
        CHECK_FALSE(miner.sentence().empty());
    }
}

TEST_CASE("a node that takes the connection and says nothing is named, and waited for") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    const std::string method = GENERATE("getblockchaininfo", "getblocktemplate");
    node.hold(method);
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_text(node.url() + " has accepted the connection and is silent"));
    CHECK(miner.jobs() == 0);
    node.release(method);
    CHECK(miner.wait_for_job());
    CHECK(node.calls(method) == 1);  // the call that it was slow to answer
}
