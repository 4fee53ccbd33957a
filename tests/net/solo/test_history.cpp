// Blocks after their first submission: in the next run, after a reorganisation, at a node that lacks their parents or
// is on another chain.
#include <chrono>
#include <ctime>
#include <thread>

#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

json regtest_template() { return recorded_template("core_regtest_h128.json"); }

std::string name_of_node(const FakeNode& node) { return "http://127.0.0.1:" + std::to_string(node.port()); }

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// A block that the run before found and could not submit.
JobHit leave_unanswered(FakeNode& node, const test::TemporaryFolder& folder) {
    JobHit found;
    json entry;
    {
        const test::TemporaryFolder other;
        Miner miner(options_for({node.url()}, other));
        REQUIRE(miner.wait_for_job());
        const auto job = miner.job();
        found = Miner::solve(job);
        entry = {{"event", "block"},
                 {"chain", "regtest"},
                 {"hash", found.hit.hash.hex()},
                 {"height", 128},
                 {"block", job->block_hex(found)},
                 {"work_id", ""},
                 {"nodes", {name_of_node(node)}},
                 {"time", std::time(nullptr)}};
    }
    OpenedFile journal(folder.path() / "solo.jsonl");
    journal.append(entry);
    return found;
}

}  // namespace

TEST_CASE("while a block of an earlier run is under way, its height is not mined once more") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(regtest_template());
    const JobHit old = leave_unanswered(node, folder);
    node.hold("submitblock");
    SoloOptions options = options_for({node.url()}, folder);
    options.blocks = 2;
    SECTION("until it is accepted") {
        Miner miner(options);
        REQUIRE(miner.wait([&](Miner&) { return node.calls("submitblock") == 1; }));
        REQUIRE(miner.wait([&](Miner& m) { return m.client->status().connected; }));
        miner.client->found(old);  // as if a job had found it again
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
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(regtest_template());
    const JobHit old = leave_unanswered(node, folder);
    {
        OpenedFile journal(folder.path() / "solo.jsonl");
        journal.append(
            {{"event", "submitted"}, {"hash", old.hit.hash.hex()}, {"node", name_of_node(node)}, {"accepted", true}});
    }
    node.set_result("submitblock", "duplicate");
    node.set_error("getbestblockhash", -1, "not now");  // whether it is on the best chain
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    miner.client->found(old);
    REQUIRE(miner.wait_for_text("is accepted by"));
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.unanswered == 0; }));
    CHECK(miner.client->status().accepted == 0);
}

TEST_CASE("a block that left the chain does not spoil the one that is mined in its place") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(regtest_template());
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(
        miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.details->at("height") == 129; }));
    node.set_result("submitblock", "duplicate-invalid");
    node.lose_last_block();
    REQUIRE(miner.wait_for_text("duplicate-invalid"));
    REQUIRE(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
    node.hold("submitblock");
    node.reset("submitblock");
    const auto job = miner.job();
    const unsigned jobs = miner.jobs();
    miner.client->found(Miner::solve(job, 9));
    REQUIRE(miner.wait([&](Miner&) { return node.calls("submitblock") == 3; }));
    // Templates on the same previous block go on coming.
    const unsigned templates = node.calls("getblocktemplate");
    REQUIRE(miner.wait([&](Miner&) { return node.calls("getblocktemplate") > templates + 2; }));
    CHECK(count_of(miner.said(), "is not on the best chain") == 1);
    CHECK(miner.jobs() == jobs + 1);  // the one that takes the work away
    node.release("submitblock");
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 2; }));
}

TEST_CASE("an old tip is left at once, though the node is slow to tell where our block stands") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(regtest_template());
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(3100));  // earlier it is not asked where the block stands
    node.hold("getblockheader");
    node.lose_last_block();
    REQUIRE(miner.wait([&](Miner&) { return node.calls("getblockheader") == 1; }));
    CHECK_FALSE(miner.job());
    node.release("getblockheader");
    CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
}

TEST_CASE("a node that is behind gets parents before their children") {
    const test::TemporaryFolder folder;
    FakeNode first, second;
    for (FakeNode* node : {&first, &second}) node->set_template(regtest_template());
    second.hold("submitblock");
    Miner miner(options_for({first.url(), second.url()}, folder));
    REQUIRE(miner.mine(5));
    second.release("submitblock");
    CHECK(miner.client->finish(std::chrono::seconds(60)));
    CHECK(second.blocks() == first.blocks());
    CHECK_FALSE(contains(miner.said(), "is refused"));
}

TEST_CASE("a block whose parent the node does not know yet is tried again") {
    const test::TemporaryFolder folder;
    FakeNode first, second;
    for (FakeNode* node : {&first, &second}) node->set_template(regtest_template());
    Miner miner(options_for({first.url(), second.url()}, folder));
    REQUIRE(miner.wait_for_job());
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(miner.wait([&](Miner&) { return second.blocks().size() == 1; }));
    REQUIRE(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
    second.set_result("submitblock", "prev-blk-not-found");
    miner.client->found(Miner::solve(miner.job()));
    REQUIRE(miner.wait_for_text("block 129 will be submitted again: " + name_of_node(second)));
    second.reset("submitblock");
    CHECK(miner.client->finish(std::chrono::seconds(60)));
    CHECK(second.blocks().back() == first.blocks().back());
    CHECK_FALSE(contains(miner.said(), "is refused"));
}

TEST_CASE("a node on another chain gets no blocks") {
    const test::TemporaryFolder folder;
    FakeNode first;
    first.set_template(regtest_template());
    FakeNode second;
    const std::string url = second.url(), name = name_of_node(second);
    second.set_chain("signet");
    SECTION("and is asked when it is there") {
        second.set_error("getblockchaininfo", -28, "Loading");
        Miner miner(options_for({first.url(), url}, folder));
        REQUIRE(miner.mine(1));
        CHECK(miner.wait_for_text("will be submitted again: " + name));
        second.reset("getblockchaininfo");
        CHECK(miner.client->finish(std::chrono::seconds(60)));
        CHECK(contains(miner.said(), name + " is on chain signet, not regtest: it gets no blocks"));
        CHECK(second.calls("submitblock") == 0);
    }
    SECTION("once for all") {
        Miner miner(options_for({first.url(), url}, folder));
        REQUIRE(miner.mine(3));
        CHECK(miner.client->finish(std::chrono::seconds(60)));
        CHECK(count_of(miner.said(), name + " is on chain signet, not regtest: it gets no blocks") == 1);
        CHECK(second.calls("getblockchaininfo") == 1);
        CHECK(second.calls("submitblock") == 0);
        CHECK(miner.client->status().accepted >= 3);
    }
    SECTION("but one that may not tell does") {
        second.set_error("getblockchaininfo", -32601, "Method not found");
        second.set_template(regtest_template());
        Miner miner(options_for({first.url(), url}, folder));
        REQUIRE(miner.mine(2));
        CHECK(miner.client->finish(std::chrono::seconds(60)));
        CHECK(second.blocks() == first.blocks());
    }
}

TEST_CASE("a block is accepted even if the node may not tell where it stands") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(regtest_template());
    node.set_error("getbestblockhash", -32601, "Method not found");
    SoloOptions options = options_for({node.url()}, folder);
    options.blocks = 1;
    Miner miner(options);
    CHECK(miner.mine(1));
    CHECK(miner.wait_until_over());
    CHECK(miner.client->finish(std::chrono::seconds(60)));
    CHECK(node.blocks().size() == 1);
    REQUIRE(miner.wait([&](Miner&) { return journal_of(folder).size() == 2; }));
    CHECK(journal_of(folder).back().at("accepted") == true);
}
