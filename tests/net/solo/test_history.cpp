// Blocks after their first submission: in the next run, after a reorganisation, at a node that lacks their parents or
// is on another chain.
#include <chrono>
#include <ctime>

#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// A block that the run before found and could not submit.
JobHit leave_unanswered(ScriptedWorld& world, const ScriptedNode& node) {
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    const JobHit found = solve(miner.job());
    world.leave_in_journal({{{"event", "block"},
                             {"chain", "regtest"},
                             {"hash", found.hit.hash.hex()},
                             {"height", 128},
                             {"block", miner.job()->block_hex(found)},
                             {"work_id", ""},
                             {"nodes", {node.url()}},
                             {"time", std::time(nullptr)}}});
    return found;
}

}  // namespace

TEST_CASE("while a block of an earlier run is under way, its height is not mined once more") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    const JobHit old = leave_unanswered(world, node);
    node.hold("submitblock");
    SoloOptions options = options_for({node.url()});
    options.blocks = 2;
    SECTION("until it is accepted") {
        Miner miner(options);
        REQUIRE(miner.wait([&] { return node.calls("submitblock") == 1; }));
        REQUIRE(miner.wait([&] { return miner.status().connected; }));
        miner.found(old);  // as if a job had found it again
        CHECK(miner.jobs() == 0);
        node.release("submitblock");
        REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
        CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
        CHECK(miner.mine(2));
        CHECK(node.blocks().size() == 2);
    }
    SECTION("unless it is refused") {
        node.set_result("submitblock", "bad-cb-amount");
        Miner miner(options);
        node.release("submitblock");
        REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.rejected == 1; }));
        CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
    }
}

TEST_CASE("a block that an earlier run has counted is not counted again for a \"duplicate\"") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    const JobHit old = leave_unanswered(world, node);
    world.disk.leave({{"event", "submitted"}, {"hash", old.hit.hash.hex()}, {"node", node.url()}, {"accepted", true}});
    node.set_result("submitblock", "duplicate");
    node.set_error("getbestblockhash", -1, "not now");  // whether it is on the best chain
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(old);
    REQUIRE(miner.wait_for_text("is accepted by"));
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.unanswered == 0; }));
    CHECK(miner.status().accepted == 0);
}

TEST_CASE("a block that left the chain does not spoil the one that is mined in its place") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    REQUIRE(
        miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.details->at("height") == 129; }));
    node.set_result("submitblock", "duplicate-invalid");
    node.lose_tip();
    REQUIRE(miner.wait_for_text("duplicate-invalid"));
    REQUIRE(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
    node.hold("submitblock");
    node.reset("submitblock");
    const auto job = miner.job();
    const unsigned jobs = miner.jobs();
    miner.found(solve(job, 9));
    REQUIRE(miner.wait([&] { return node.calls("submitblock") == 3; }));
    // Templates on the same previous block go on coming.
    const unsigned templates = node.calls("getblocktemplate");
    REQUIRE(miner.wait([&] { return node.calls("getblocktemplate") > templates + 2; }));
    CHECK(count_of(miner.said(), "is not on the best chain") == 1);
    CHECK(miner.jobs() == jobs + 1);  // the one that takes the work away
    node.release("submitblock");
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 2; }));
}

TEST_CASE("an old tip is left at once, though the node is slow to tell where our block stands") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    REQUIRE(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
    world.pass(std::chrono::milliseconds(3100));  // earlier it is not asked where the block stands
    node.hold("getblockheader");
    node.lose_tip();
    REQUIRE(miner.wait([&] { return node.calls("getblockheader") == 1; }));
    CHECK_FALSE(miner.job());
    node.release("getblockheader");
    CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
}

TEST_CASE("a node on another chain gets no blocks") {
    ScriptedWorld world;
    ScriptedNode& first = world.add_node(regtest_template());
    ScriptedNode& second = world.add_node();
    const std::string url = second.url();
    second.set_chain("signet");
    SECTION("and is asked when it is there") {
        second.set_error("getblockchaininfo", -28, "Loading");
        Miner miner(options_for({first.url(), url}));
        REQUIRE(miner.mine(1));
        CHECK(miner.wait_for_text("will be submitted again: " + url));
        second.reset("getblockchaininfo");
        CHECK(miner.finish());
        CHECK(contains(miner.said(), url + " is on chain signet, not regtest: it gets no blocks"));
        CHECK(second.calls("submitblock") == 0);
    }
    SECTION("once for all") {
        Miner miner(options_for({first.url(), url}));
        REQUIRE(miner.mine(3));
        CHECK(miner.finish());
        CHECK(count_of(miner.said(), url + " is on chain signet, not regtest: it gets no blocks") == 1);
        CHECK(second.calls("getblockchaininfo") == 1);
        CHECK(second.calls("submitblock") == 0);
        CHECK(miner.status().accepted >= 3);
    }
    SECTION("but one that may not tell does") {
        second.set_error("getblockchaininfo", -32601, "Method not found");
        second.set_template(regtest_template());
        Miner miner(options_for({first.url(), url}));
        REQUIRE(miner.mine(2));
        CHECK(miner.finish());
        CHECK(second.blocks() == first.blocks());
    }
}

TEST_CASE("a block is accepted even if the node may not tell where it stands") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    node.set_error("getbestblockhash", -32601, "Method not found");
    SoloOptions options = options_for({node.url()});
    options.blocks = 1;
    Miner miner(options);
    CHECK(miner.mine(1));
    CHECK(miner.wait_until_over());
    CHECK(miner.finish());
    CHECK(node.blocks().size() == 1);
    REQUIRE(miner.wait([&] { return world.journal().size() == 2; }));
    CHECK(world.journal().back().at("accepted") == true);
}
