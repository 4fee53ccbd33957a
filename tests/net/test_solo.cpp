// Mining for full nodes: jobs from their templates, blocks back to them.
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "host/checker.hpp"
#include "host/errors.hpp"
#include "net/journal.hpp"
#include "net/solo_client.hpp"
#include "net/template_job.hpp"
#include "tests/catch.hpp"
#include "tests/net/fake_node.hpp"
#include "tests/net/recorded_templates.hpp"
#include "tests/net/temporary_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using nlohmann::json;

namespace {

// BIP 173's example key, P2WPKH: script 0014751e76e8199196d454941c45d1b3a323f1433bd6.
constexpr const char* kRegtestAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
constexpr const char* kTestAddress = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx";
constexpr const char* kScript = "0014751e76e8199196d454941c45d1b3a323f1433bd6";

json recorded_template(const std::string& name) { return test::load_template_file(name).at("template"); }

SoloOptions options_for(const std::vector<std::string>& nodes, const test::TemporaryFolder& folder) {
    SoloOptions options;
    options.nodes = nodes;
    options.coinbase_address = kRegtestAddress;
    options.journal = folder.path / "solo.jsonl";
    options.retry_pause = 0.02;
    return options;
}

/// The program around a client: takes its jobs, solves them, keeps what it says.
class Miner {
public:
    explicit Miner(const SoloOptions& options) {
        WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            note([&] {
                ++jobs_;
                job_ = std::move(job);
            });
        };
        callbacks.say = [this](Severity, const std::string& text) { note([&] { said_ += text + "\n"; }); };
        callbacks.hash_rate = [] { return 0.0; };
        callbacks.over = [this](Outcome outcome, const std::string& sentence) {
            note([&] {
                ++overs_;
                outcome_ = outcome;
                sentence_ = sentence;
            });
        };
        client = make_solo_client(options, callbacks);
    }
    ~Miner() { client.reset(); }  // before what its callbacks use
    Miner(const Miner&) = delete;
    Miner& operator=(const Miner&) = delete;

    /// False: not within 10 seconds.
    template <typename Condition>
    bool wait(Condition condition) {
        std::unique_lock lock(mutex_);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!condition(*this)) {  // some conditions are about the client, which calls nobody when they come true
            if (std::chrono::steady_clock::now() > until) return false;
            changed_.wait_for(lock, std::chrono::milliseconds(5));
        }
        return true;
    }
    bool wait_for_job() {
        return wait([](Miner& m) { return m.job_ != nullptr; });
    }
    bool wait_for_text(const std::string& text) {
        return wait([&](Miner& m) { return m.said_.find(text) != std::string::npos; });
    }
    bool wait_until_over() {
        return wait([](Miner& m) { return m.overs_ > 0; });
    }
    bool wait_for_status(const std::function<bool(const WorkStatus&)>& condition) {
        return wait([&](Miner& m) { return condition(m.client->status()); });
    }

    std::shared_ptr<const TemplateJob> job() {
        const std::lock_guard lock(mutex_);
        return std::dynamic_pointer_cast<const TemplateJob>(job_);
    }
    /// A hit of the job, with a nonce that OpenSSL finds; regtest asks for two hashes.
    static Found solve(const std::shared_ptr<const TemplateJob>& job, std::uint64_t index = 0) {
        for (std::uint32_t nonce = 0;; ++nonce) {
            const BlockHeader header = job->header(index).with_nonce(nonce);
            const Checked checked = check(header, job->target());
            if (checked.verdict == Verdict::hit) {
                return {job, index, {header.version(), nonce, checked.hash, header}};
            }
        }
    }
    /// Finds and delivers one block on each job's previous block until so many are accepted.
    bool mine(std::uint64_t blocks) {
        Hash256 last;
        return wait_for_status([&](const WorkStatus& status) {
            if (status.accepted >= blocks) return true;
            const auto current = std::dynamic_pointer_cast<const TemplateJob>(job_);  // the lock is held
            if (current && current->block_template().previous_hash != last) {
                last = current->block_template().previous_hash;
                client->found(solve(current));
            }
            return false;
        });
    }
    std::string said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }
    unsigned jobs() {
        const std::lock_guard lock(mutex_);
        return jobs_;
    }
    Outcome outcome() {
        const std::lock_guard lock(mutex_);
        return outcome_;
    }
    std::string sentence() {
        const std::lock_guard lock(mutex_);
        return sentence_;
    }

    std::unique_ptr<WorkClient> client;

private:
    template <typename Change>
    void note(Change change) {
        {
            const std::lock_guard lock(mutex_);
            change();
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<const MiningJob> job_;
    unsigned jobs_ = 0, overs_ = 0;
    std::string said_, sentence_;
    Outcome outcome_ = Outcome::kEnough;
};

std::vector<json> journal_of(const test::TemporaryFolder& folder) {
    std::vector<json> entries;
    std::ifstream file(folder.path / "solo.jsonl");
    for (std::string line; std::getline(file, line);) entries.push_back(json::parse(line));
    return entries;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

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
    CHECK(before.details.at("chain") == "regtest");
    CHECK(before.details.at("height") == 132);
    CHECK(before.details.at("script") == kScript);
    CHECK(before.details.at("transactions") == job->block_template().transactions.size());
    CHECK(before.server == "http://127.0.0.1:" + std::to_string(node.port()));
    const json request = node.last_request("getblocktemplate");
    CHECK(request.at(0).at("rules") == json({"segwit"}));

    const Found found = Miner::solve(job, 5);
    miner.client->found(found);
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.accepted == 1 && s.unanswered == 0; }));
    REQUIRE(node.blocks().size() == 1);
    CHECK(node.blocks()[0] == job->block_hex(found));
    CHECK(contains(node.blocks()[0], kScript));

    // The next job builds on the block.
    CHECK(miner.wait_for_status([](const WorkStatus& s) { return s.details.at("height") == 133; }));
    REQUIRE(miner.wait_for_job());
    CHECK(miner.job()->header(0).previous_hash() == found.hit.hash);

    const auto entries = journal_of(folder);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].at("event") == "block");
    CHECK(entries[0].at("block") == node.blocks()[0]);
    CHECK(entries[0].at("hash") == found.hit.hash.hex());
    CHECK(entries[1].at("event") == "submitted");
    CHECK(entries[1].at("accepted") == true);
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
    CHECK(journal_of(folder).size() == 50);
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

TEST_CASE("a new block of somebody else's preempts the job") {
    const test::TemporaryFolder folder;
    FakeNode node;
    node.set_template(recorded_template("core_regtest_h128.json"));
    Miner miner(options_for({node.url()}, folder));
    REQUIRE(miner.wait_for_job());
    const auto first = miner.job();
    const bool with_long_poll = GENERATE(true, false);
    if (with_long_poll) {
        CHECK(miner.wait([&](Miner&) { return node.last_request("getblocktemplate").at(0).contains("longpollid"); }));
    }
    node.change_template([&](json& t) {
        t["previousblockhash"] = std::string(64, '1');
        t["height"] = 129;
    });
    CHECK(miner.wait([&](Miner& m) { return m.client->status().details.at("height") == 129; }));
    REQUIRE(miner.wait_for_job());
    CHECK(miner.job()->header(0).previous_hash().hex() == std::string(64, '1'));

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

TEST_CASE("a wrong password ends it at once") {
    const test::TemporaryFolder folder;
    FakeNode node;
    Miner miner(options_for({node.url("user:hunter2")}, folder));
    CHECK(miner.wait_until_over());
    CHECK(miner.outcome() == Outcome::kRefused);
    CHECK(contains(miner.sentence(), "user name and password"));
    CHECK_FALSE(contains(miner.sentence() + miner.said() + miner.client->status().details.dump(), "hunter2"));
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
        const Found found = Miner::solve(miner.job());
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
        Journal journal(folder.path / "solo.jsonl");
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
