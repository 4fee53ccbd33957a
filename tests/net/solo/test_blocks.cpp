// Tests of found blocks, and of the search after them: refused, lost, off the chain again, missing at one node.
#include "net/solo/template_jobs.hpp"
#include "tests/net/solo/solo_miner.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// A header whose hash is above the target.
JobHit miss(const std::shared_ptr<const TemplateJob>& job) {
    for (std::uint32_t nonce = 0;; ++nonce) {
        const BlockHeader header = job->header(0).with_nonce(nonce);
        const Checked checked = check(header, job->target());
        if (checked.verdict != Verdict::hit) return {job, 0, {header.version(), nonce, checked.hash, header}};
    }
}

}  // namespace

TEST_CASE("a node that demands what BIP 54 does takes blocks at every height, with and without a witness") {
    const int height = GENERATE(1, 2, 17, 128);
    const bool witness = GENERATE(true, false);
    CAPTURE(height, witness);
    ScriptedWorld world;
    ScriptedNode& node = world.add_node();
    json block_template = regtest_template();
    block_template["height"] = height;
    if (!witness) block_template.erase("default_witness_commitment");
    node.set_template(block_template);
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.mine(2));
    CHECK(miner.status().rejected == 0);
    CHECK(miner.status().details->at("bip54") == true);
    CHECK((node.blocks().front().substr(170, 4) == "0001") == witness);  // BIP 144: marker and flag
}

TEST_CASE("a find that cannot be made a block of does not end the search") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    const auto job = miner.job();
    miner.found(miss(job));
    CHECK(miner.wait_for_text("the block found is lost"));
    // The devices are idle after a hit; only another job wakes them.
    CHECK(miner.wait_for_current_job([&](const TemplateJob& now) { return &now != job.get(); }));
}

TEST_CASE("a block that leaves the chain again is submitted once more, and its height is mined again") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    REQUIRE(
        miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.details->at("height") == 129; }));
    CHECK(miner.status().blocks == 1);
    SECTION("the node has forgotten it, and takes it") {
        node.lose_tip();
        CHECK(miner.wait_for_text("is not on the best chain"));
        REQUIRE(miner.wait([&] { return node.blocks().size() == 2; }));
        CHECK(node.blocks()[0] == node.blocks()[1]);
        CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 129; }));
        CHECK(miner.status().accepted == 1);  // one block still
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.blocks == 1; }));
    }
    SECTION("the node does not want it any more") {
        node.set_result("submitblock", "duplicate-invalid");
        node.lose_tip();
        CHECK(miner.wait_for_text("duplicate-invalid"));
        CHECK(miner.wait_for_current_job([](const TemplateJob& job) { return job.block_template().height == 128; }));
        CHECK(miner.status().blocks == 0);  // the node has none of ours
        node.reset("submitblock");
        miner.found(solve(miner.job(), 9));
        CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 2 && s.blocks == 1; }));
    }
}

TEST_CASE("a node that was away gets the block after all") {
    ScriptedWorld world;
    ScriptedNode& first = world.add_node(regtest_template());
    ScriptedNode& second = world.add_node(regtest_template());
    SoloOptions options = options_for({first.url(), second.url()});
    options.blocks = 1;
    SECTION("before the end, which waits for it") {
        second.hold("submitblock");
        Miner miner(options);
        REQUIRE(miner.wait_for_job());
        miner.found(solve(miner.job()));
        REQUIRE(miner.wait_until_over());
        CHECK_FALSE(miner.finish(std::chrono::seconds(1)));
        second.release("submitblock");
        CHECK(miner.finish());
        CHECK(second.blocks().size() == 1);
        CHECK(miner.wait([&] { return world.journal().size() == 3; }));  // one block, two answers
    }
    SECTION("after a restart, whatever the other one said") {
        const bool refused = GENERATE(false, true);
        if (refused) first.set_result("submitblock", "bad-cb-amount");
        second.set_up(false);
        {
            Miner miner(options);
            REQUIRE(miner.wait_for_job());
            miner.found(solve(miner.job()));
            REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.unanswered == 0; }));
        }
        second.set_up(true);
        const std::size_t had = first.blocks().size();
        options.blocks.reset();
        Miner again(options);
        CHECK(again.wait([&] { return second.blocks().size() == 1; }));
        CHECK(again.wait_for_text("is accepted by " + second.url()));
        CHECK(first.blocks().size() == had);
        // Where the first node took it, the earlier run has counted it.
        CHECK(again.wait_for_status([&](const WorkStatus& s) { return s.accepted == (refused ? 1 : 0); }));
    }
}

TEST_CASE("a block that its node has taken is none of another node's") {
    ScriptedWorld world;
    ScriptedNode& first = world.add_node(regtest_template());
    ScriptedNode& second = world.add_node(regtest_template());
    {
        Miner miner(options_for({first.url()}));
        REQUIRE(miner.wait_for_job());
        miner.found(solve(miner.job()));
        REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    }
    Miner miner(options_for({second.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(second.blocks().size() == 1);  // not the old one, which would have come first
}

TEST_CASE("blocks that some node has answered are not kept for the others for ever") {
    ScriptedWorld world;
    ScriptedNode& node = world.add_node(regtest_template());
    const std::string hash(64, 'a');
    world.leave_in_journal({{{"event", "block"},
                             {"chain", "regtest"},
                             {"hash", hash},
                             {"height", 128},
                             {"block", "00"},
                             {"work_id", ""},
                             {"time", 1'700'000'000}},
                            {{"event", "submitted"}, {"hash", hash}, {"node", "http://other:1"}}});
    Miner miner(options_for({node.url()}));
    REQUIRE(miner.wait_for_job());
    miner.found(solve(miner.job()));
    REQUIRE(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1; }));
    CHECK(node.blocks().size() == 1);  // not the old one, which would have come first
}

TEST_CASE("the time of a job's headers does not stand still") {
    const BlockTemplate current = parse_block_template(regtest_template());
    BlockTemplate fresh = current;
    CHECK_FALSE(is_worth_a_job(current, fresh, std::chrono::hours(1)));  // the same headers again
    fresh.time += 60;
    CHECK(is_worth_a_job(current, fresh, std::chrono::seconds(45)));  // 15 s later it is asked again: within a minute
    CHECK_FALSE(is_worth_a_job(current, fresh, std::chrono::seconds(30)));
    SECTION("more fees are worth a job sooner") {
        ++fresh.coinbase_value;
        CHECK(is_worth_a_job(current, fresh, std::chrono::seconds(15)));
        CHECK_FALSE(is_worth_a_job(current, fresh, std::chrono::seconds(1)));
    }
    SECTION("another block at once") {
        fresh.previous_hash = Hash256{};
        CHECK(is_worth_a_job(current, fresh, std::chrono::seconds(0)));
    }
}
