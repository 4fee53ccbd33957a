// Tests of Verus' dialect: the login, targets, jobs, and shares that a pool puts together again.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>

#include "host/block/checker.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"
#include "tests/net/stratum/verus_block.hpp"
#include "verushash/algorithm.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

const std::string kEasy = "0" + std::string(63, 'f');  // one hash of sixteen

StratumOptions verus_options() {
    StratumOptions chosen = options();
    chosen.dialect = &kVerusDialect;
    chosen.suggest_difficulty = 5;  // which these pools do not know
    return chosen;
}

struct VerusTalk : Talk {
    VerusTalk() : Talk(verus_options()) {}
    void log_in_to_verus(const std::string& nonce1 = "81000102") {
        reply("mining.subscribe", json::array({nullptr, nonce1}));
        reply("mining.authorize", true);
    }
    void set_easy_target() { call("mining.set_target", {kEasy}); }
};

// The first hit of the job, its header being number `index`.
JobHit find(const std::shared_ptr<const StratumJob>& job, std::uint64_t index) {
    const BlockHeader header = job->header(index);
    for (std::uint32_t nonce = 0;; ++nonce) {
        const BlockHeader candidate = header.with_nonce(nonce);
        const Checked checked = check(candidate, job->target());
        if (checked.verdict == Verdict::hit) return {job, index, {candidate.version(), nonce, checked.hash, candidate}};
    }
}

}  // namespace

TEST_CASE("Verus: the login, without what its pools do not know") {
    VerusTalk talk;
    CHECK(talk.pool.methods() == std::vector<std::string>{"mining.subscribe"});
    talk.log_in_to_verus();
    CHECK(talk.pool.logins == 1);
    REQUIRE(talk.pool.subscriptions.size() == 1);
    CHECK(talk.pool.subscriptions[0].extranonce1 == "81000102");
    CHECK(talk.pool.subscriptions[0].extranonce2_size == 28);
    talk.suggest(7);
    talk.wait(std::chrono::seconds(119));
    CHECK(talk.pool.methods() ==
          std::vector<std::string>{"mining.subscribe", "mining.extranonce.subscribe", "mining.authorize",
                                   "mining.extranonce.subscribe"});  // the last one asks for work
}

TEST_CASE("Verus: a subscription that makes no sense") {
    const auto error_of = [](const json& result) {
        VerusTalk talk;
        talk.reply("mining.subscribe", result);
        return talk.pool.errors.empty() ? std::string() : talk.pool.errors[0];
    };
    CHECK(error_of(json::array({nullptr, ""})).empty());
    CHECK(error_of(json::array({nullptr, "0123456789abcdef"})).empty());
    CHECK(error_of(json::array({"abc"})).find("a list of two elements") != std::string::npos);
    CHECK(error_of(json::object()).find("a list of two elements") != std::string::npos);
    CHECK(error_of(json::array({nullptr, 5})).find("expected a text as nonce1") != std::string::npos);
    for (const char* wrong : {"0", "0g", "0123456789abcdef01"}) {
        CHECK(error_of(json::array({nullptr, wrong})).find("0 to 8 bytes in hex as nonce1") != std::string::npos);
    }
}

TEST_CASE("Verus: a pool of Bitcoin is called that") {
    VerusTalk talk;
    talk.log_in_to_verus();
    const std::string zeros(64, '0');
    talk.call("mining.notify", {"1", zeros, "00", "00", json::array(), "20000000", "1d00ffff", "65000000", true});
    REQUIRE(talk.pool.errors.size() == 1);
    CHECK(talk.pool.errors[0] == "this pool's jobs are Bitcoin's (SHA-256d), but --algorithm is verushash");
}

TEST_CASE("Verus: a target is the pool's to the last digit") {
    VerusTalk talk;
    talk.log_in_to_verus();
    talk.set_easy_target();
    talk.call("mining.notify", VerusBlock().notify("1"));
    const std::string exact = "00000123456789abcdef" + std::string(44, '7');
    talk.call("mining.set_target", {exact});
    talk.call("mining.notify", VerusBlock().notify("2"));
    REQUIRE(talk.pool.jobs.size() == 2);
    CHECK(talk.pool.jobs[0]->target().hex() == kEasy);
    CHECK(talk.pool.jobs[1]->target().hex() == exact);
    CHECK(talk.pool.jobs[1]->difficulty() == Approx(difficulty_of(target_from_hex(exact))));
    for (const json& wrong : {json(5), json("12"), json(std::string(64, 'g')), json(std::string(64, '0'))}) {
        talk.call("mining.set_target", json::array({wrong}));
    }
    CHECK(talk.pool.warnings.size() == 4);
    CHECK(talk.session.current_job()->target().hex() == exact);
    talk.call("mining.set_difficulty", {3});  // Bitcoin's
    talk.call("mining.notify", VerusBlock().notify("3"));
    CHECK(talk.session.current_job()->target().hex() == exact);
}

TEST_CASE("Verus: a job waits for its target, and for the subscription") {
    VerusTalk talk;
    SECTION("the target comes last") {
        talk.log_in_to_verus();
        talk.call("mining.notify", VerusBlock().notify("1"));
        CHECK(talk.pool.jobs.empty());
        talk.set_easy_target();
    }
    SECTION("both come before the login") {
        talk.call("mining.notify", VerusBlock().notify("1"));
        talk.set_easy_target();
        CHECK(talk.pool.jobs.empty());
        talk.log_in_to_verus();
    }
    REQUIRE(talk.pool.jobs.size() == 1);
    CHECK(talk.pool.jobs[0]->id() == "1");
    CHECK(talk.pool.jobs[0]->target().hex() == kEasy);
}

TEST_CASE("Verus: a pool that sets no target gives no work") {
    VerusTalk talk;
    talk.log_in_to_verus();
    talk.call("mining.set_difficulty", {3});  // Bitcoin's
    talk.call("mining.notify", VerusBlock().notify("1"));
    talk.wait(std::chrono::seconds(121));
    CHECK(talk.pool.jobs.empty());
    CHECK(talk.pool.errors == std::vector<std::string>{"the pool gave no work within 120 s"});
}

TEST_CASE("Verus: another nonce1 is for jobs from the next one on") {
    VerusTalk talk;
    talk.log_in_to_verus();
    talk.set_easy_target();
    talk.call("mining.notify", VerusBlock().notify("1"));
    talk.call("mining.set_extranonce", json::array({"a1b2c3d4e5", 27}));
    CHECK(talk.session.current_job()->extranonce1() == "81000102");
    talk.call("mining.notify", VerusBlock().notify("2"));
    CHECK(talk.session.current_job()->extranonce1() == "a1b2c3d4e5");
    const StratumShare share = talk.session.current_job()->share(find(talk.session.current_job(), 0));
    CHECK(share.extranonce2.size() == 54);
    CHECK(share.solution.substr(2694 - 22, 10) == "a1b2c3d4e5");
    talk.call("mining.set_extranonce", json::array());
    REQUIRE(talk.pool.errors.size() == 1);
    CHECK(talk.pool.errors[0].find("mining.set_extranonce: expected a text as nonce1") != std::string::npos);
}

TEST_CASE("Verus: of a share the pool makes the block with the hash that was found") {
    struct Row {
        unsigned version, chains;
        bool own_nonce;  // the pool takes the miner's, as the node has given none
    };
    for (const Row& row : {Row{7, 2, false}, Row{8, 1, false}, Row{7, 12, false}, Row{6, 0, true}, Row{4, 0, true}}) {
        INFO(row.version << " " << row.chains);
        const VerusBlock block(row.version, row.chains);
        VerusTalk talk;
        talk.log_in_to_verus();
        talk.set_easy_target();
        talk.call("mining.notify", block.notify("7f"));
        const auto job = talk.session.current_job();
        REQUIRE(job);
        for (const std::uint64_t index : {0U, 1U, 0x123456U}) {
            const JobHit found = find(job, index);
            talk.submit(job->share(found));
            const json params = talk.pool.last("mining.submit")["params"];
            REQUIRE(params.size() == 5);
            CHECK(params[0] == json("user.worker"));
            CHECK(params[1] == json("7f"));
            CHECK(params[2] == json(block.time));
            const std::string nonce2 = params[3], solution = params[4];
            CHECK(nonce2.size() == 56);
            CHECK(solution.size() == 2694);
            CHECK(solution.starts_with("fd4005" + block.solution));
            CHECK(solution.substr(solution.size() - 30).find("81000102") != std::string::npos);
            const auto header = block.with(params[2], solution, row.own_nonce ? "81000102" + nonce2 : block.nonce);
            CHECK(verus_hash(header) == found.hit.hash);
        }
    }
}

TEST_CASE("Verus: no two headers are equal, in what is hashed") {
    VerusTalk talk;
    talk.log_in_to_verus();
    talk.set_easy_target();
    std::set<std::string> headers;
    for (const char* id : {"1", "2"}) {  // the same work
        talk.call("mining.notify", VerusBlock().notify(id));
        for (std::uint64_t index = 0; index < 300; ++index) {
            const BlockHeader header = talk.session.current_job()->header(index);
            CHECK(header.nonce() == 0);
            CHECK(header.algorithm == &kVerusHash);
            headers.insert(header.hex());
        }
    }
    CHECK(headers.size() == 600);
}

TEST_CASE("Verus: every size of nonce1, each with shares of the block that was found") {
    const std::string nonce1(2 * GENERATE(range(std::size_t{0}, std::size_t{9})), 'e');
    const VerusBlock block;
    VerusTalk talk;
    talk.reply("mining.subscribe", json::array({nullptr, nonce1}));
    talk.reply("mining.authorize", true);
    talk.set_easy_target();
    talk.call("mining.notify", block.notify("1"));
    const auto job = talk.session.current_job();
    REQUIRE(job);
    const std::uint64_t headers = std::uint64_t{1} << std::min<std::size_t>(63, 8 * (11 - nonce1.size() / 2));
    CHECK(job->has_header(headers - 1));
    if (nonce1.size() >= 8) CHECK_FALSE(job->has_header(headers));
    CHECK_FALSE(job->header(0) == job->header(headers - 1));
    for (const std::uint64_t index : {std::uint64_t{0}, headers - 1}) {
        const JobHit found = find(job, index);
        const StratumShare share = job->share(found);
        CHECK(nonce1.size() + share.extranonce2.size() == 64);
        CHECK(share.solution.substr(share.solution.size() - 30).find(nonce1) != std::string::npos);
        CHECK(verus_hash(block.with(block.time, share.solution, block.nonce)) == found.hit.hash);
    }
}

TEST_CASE("Verus: a share that solves a block says what it builds on") {
    VerusTalk talk;
    talk.log_in_to_verus();
    talk.set_easy_target();
    talk.call("mining.notify", VerusBlock().notify("1"));  // nBits: any hash at or below 0f0f0f00…
    const auto job = talk.session.current_job();
    const StratumShare share = job->share(find(job, 0));
    CHECK(share.solves_block);
    CHECK(share.previous.hex() == "a0" + std::string(62, '1'));
    CHECK(job->coinbase(0).empty());
}

TEST_CASE("Verus: mining.notify with anything wrong is refused by the name of what is wrong") {
    const auto error_of = [](std::size_t at, const json& value) {
        VerusTalk talk;
        talk.log_in_to_verus();
        talk.set_easy_target();
        json params = VerusBlock().notify("1");
        params[at] = value;
        talk.call("mining.notify", params);
        REQUIRE((talk.pool.errors.size() == 1 || talk.pool.jobs.size() == 1));
        return talk.pool.errors.empty() ? std::string() : talk.pool.errors[0];
    };
    const auto complains = [&](std::size_t at, const json& value, const std::string& words) {
        const std::string error = error_of(at, value);
        INFO(at << " " << value << " " << error);
        CHECK(error.find(words) != std::string::npos);
        CHECK(error.size() < 300);
    };
    CHECK(error_of(0, 17).empty());
    CHECK(error_of(7, nullptr).empty());
    CHECK(error_of(7, "maybe").empty());
    complains(0, json::object(), "a text as job id");
    complains(1, "0400010", "an even number of hex digits as version");
    complains(1, "05000100", "version 65540");
    complains(2, "12", "64 hex digits as previous hash");
    complains(3, nullptr, "a text as merkle root");
    complains(4, std::string(64, 'x'), "hex digits as Sapling root");
    complains(5, "001122", "8 hex digits as time");
    complains(6, "00000000", "target");
    complains(8, nullptr, "a text as solution");
    complains(8, "03000000", "a solution of version 4 or later");
    complains(8, "07000000" + std::string(2682, '0'), "at most 1344 bytes as solution");
}

TEST_CASE("Verus: the conversations that were recorded with a pool's own code") {
    VerusBlock block;
    std::map<std::int64_t, json> submits;  // of the connection, by id
    std::vector<std::string> verdicts;
    VerusTalk talk;
    std::ifstream file("tests/data/stratum_verus/node-stratum-pool.jsonl");
    for (std::string line; std::getline(file, line);) {
        const json entry = json::parse(line), message = entry["msg"];
        if (entry["dir"] == "note") block.nonce = message["nonce"];
        if (entry["dir"] == "c2s" && message["method"] == "mining.submit") submits[message["id"]] = message["params"];
        if (entry["dir"] != "s2c") continue;
        const bool of_share = !message.contains("method") && submits.contains(message["id"].get<std::int64_t>());
        if (entry["conn"] == 1 && !of_share) talk.hear(message);  // the session's requests are those recorded
        if (message.contains("method") && message["method"] == "mining.notify") {
            const json& params = message["params"];
            block.previous_hash = params[2];
            block.merkle_root = params[3];
            block.sapling_root = params[4];
            block.nbits = params[6];
        } else if (of_share) {
            StratumMessage reply = parse_stratum_line(message.dump());
            const ShareReply read = read_share_reply(reply);
            verdicts.push_back(read.reason + (read.kind == RefusalKind::kDuplicate ? ", a duplicate" : "") +
                               (read.verdict == SubmitVerdict::kStale ? ", stale" : ""));
            if (read.verdict != SubmitVerdict::kAccepted) continue;
            const json params = submits[message["id"]];
            const Hash256 hash = verus_hash(block.with(params[2], params[4], block.nonce));
            CHECK(hash <= talk.session.current_job()->target());
            CHECK(params[4].get<std::string>().substr(2694 - 22, 8) == "08000000");  // behind the nonce
        }
    }
    CHECK(talk.pool.logins == 1);
    CHECK(talk.pool.errors.empty());
    REQUIRE(talk.session.current_job());
    CHECK(talk.session.current_job()->target().hex() == "00004" + std::string(59, '0'));
    const std::string size = "Error: Incorrect size of solution (2692), expected 2694 (20)";
    CHECK(verdicts == std::vector<std::string>{"", "", "", "job not found (21), stale", "ntime out of range (20)",
                                               "incorrect size of nonce (20)", size,
                                               "invalid solution version (08000000), expected 07000000 (20)",
                                               "invalid solution, pool nonce missing (20)",
                                               "low difficulty share of 0.00037280574644628557 (23)",
                                               "duplicate share (22), a duplicate"});
}
