// Tests with recorded conversations with real pools, replayed to a session. Each share that a pool took meets the
// difficulty when its header is rebuilt from the job; each reply is understood as it was meant.
#include <fstream>
#include <map>
#include <set>

#include "host/block/checker.hpp"
#include "host/text/text.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

// Where a pool's reply and the hash disagree, by file and id of the request.
const std::map<std::string, std::map<int, const char*>> kOddReplies = {
    {"npm-stratum-pool-sha256_rejects", {{8, "the pool takes shares of less than the difficulty it has set"}}},
    {"ckpool-lhr_version_rolling_job_bit28_set",
     {{5, "bit 28 of the job is sent as rolled; the pool sets what is sent, and XOR would clear it"},
      {8, "bit 28 is cleared, which a pool that sets bits does not see"}}},
};

struct Counts {
    int accepted = 0;
    int refused = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& counts) {
    return out << counts.accepted << " accepted, " << counts.refused << " refused";
}

// Counted with another program.
const std::map<std::string, Counts> kRecordings = {
    {"ckpool-lhr_block_found_with_merkle_branches", {2, 0}},
    {"ckpool-lhr_cpuminer-opt", {35, 0}},
    {"ckpool-lhr_lowdiff_minerd", {75, 1}},
    {"ckpool-lhr_minerd", {12, 0}},
    {"ckpool-lhr_reconnect_drop", {0, 0}},
    {"ckpool-lhr_signet_minerd", {140, 0}},
    {"ckpool-lhr_v1.0_rejects", {4, 13}},
    {"ckpool-lhr_version_rolling_job_bit28_set", {3, 3}},
    {"npm-stratum-pool-sha256_rejects", {6, 7}},
    {"public-pool_rejects", {7, 9}},
    {"public-pool_version_rolling_job_bit28_set", {3, 3}},
    {"sri-translator-sv2_configure_float_mindiff_disconnects", {0, 0}},
    {"sri-translator-sv2_minerd", {40, 0}},
    {"sri-translator-sv2_noconfigure_rejects", {2, 4}},
    {"sri-translator-sv2_rejects", {0, 10}},
    {"sri-translator-sv2_version_rolling", {5, 1}},
};

std::vector<json> read_recording(const std::string& name) {
    std::ifstream file("tests/data/stratum/" + name + ".jsonl");
    REQUIRE(file);
    std::vector<json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
}

std::uint64_t index_of(const std::string& extranonce2) {
    Bytes bytes(extranonce2.size() / 2);
    decode_hex(extranonce2, bytes);
    std::uint64_t index = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) index = index << 8 | bytes[i];
    return index;
}

std::uint32_t hex_word(const json& digits) {
    return static_cast<std::uint32_t>(std::stoul(digits.get<std::string>(), nullptr, 16));
}

// A submit as recorded: the header that its parameters stand for, made by the job.
struct Submit {
    int id = 0;
    std::optional<StratumShare> share;  // empty: of an unknown job, or without all of its parameters
    SubmitDecision assessed = SubmitDecision::kNotYet;
    Hash256 target;
};

class Replay {
public:
    explicit Replay(std::string name) : name_(std::move(name)), lines_(read_recording(name_)) {}

    void run() {
        for (const json& line : lines_) {
            const json message = line.value("msg", json());
            if (!message.is_object()) continue;
            INFO(name_ << " at " << line["t"]);
            now_ = SteadyTime(std::chrono::milliseconds(static_cast<int>(line["t"].get<double>() * 1000)));
            if (message.contains("_event")) {
                session_.reset();
            } else if (line["dir"] == "c2s" && message.contains("method")) {
                client_says(message);
            } else if (line["dir"] == "s2c") {
                REQUIRE(session_);
                pool_says(message);
            }
        }
    }

    Counts counts;
    Record pool;
    int notifications = 0;

private:
    void connect() {
        StratumOptions chosen = options();
        chosen.configure = false;
        for (const json& line : lines_) {
            const json message = line.value("msg", json());
            if (message.is_object() && message.value("method", "") == "mining.configure") chosen.configure = true;
        }
        session_ = std::make_unique<StratumSession>(chosen);
        pool.add(session_->start(now_));
        jobs_.clear();
    }

    void client_says(const json& message) {
        if (!session_) connect();
        const std::string method = message["method"];
        if (method == "mining.submit") {
            submits_.push_back(read_submit(message));
        } else {
            requests_[message["id"].get<int>()] = method;
        }
    }

    Submit read_submit(const json& message) {
        const json& params = message["params"];
        Submit submit;
        submit.id = message["id"];
        if (params.size() < 5 || jobs_.count(params[1]) == 0) return submit;
        const auto& job = jobs_.at(params[1]);
        if (params[2].get<std::string>().size() != job->extranonce2(0).size()) return submit;
        const std::uint32_t bits = params.size() > 5 ? hex_word(params[5]) : 0;
        JobHit found;
        found.job = job;
        found.index = index_of(params[2]);
        BlockHeader header = job->header(found.index).with_nonce(hex_word(params[4]));
        header = header.with_version(header.version() ^ bits);
        const std::uint32_t time = hex_word(params[3]);
        for (std::size_t i = 0; i < 4; ++i) header.bytes[68 + i] = static_cast<std::uint8_t>(time >> (8 * i));
        found.hit.header = header;
        found.hit.hash = double_sha256(header.bytes);
        submit.share = job->share(found);
        submit.target = job->target();
        submit.share->solves_block = false;  // on regtest nearly all do, and would go out even when stale
        submit.assessed = session_->assess(*submit.share);
        CHECK(submit.share->job_id == params[1]);
        CHECK(submit.share->extranonce2 == params[2]);
        return submit;
    }

    void hear(const json& message) {
        std::string received = message.dump() + "\n";
        while (const auto events = session_->next(received, now_)) pool.add(*events);
    }

    void pool_says(const json& message) {
        if (message.value("method", "") == "mining.notify") ++notifications;
        if (message.contains("result")) return reply(message);
        const std::size_t before = pool.jobs.size();
        hear(message);
        if (pool.jobs.size() > before) jobs_[pool.jobs.back()->id()] = pool.jobs.back();
    }

    void reply(json message) {
        const int id = message["id"].is_number() ? message["id"].get<int>() : -1;
        const auto submit = std::find_if(submits_.begin(), submits_.end(), [&](const Submit& s) { return s.id == id; });
        if (submit != submits_.end()) {
            const Submit found = *submit;
            submits_.erase(submit);
            return answer(found, message);
        }
        // Our session numbers its requests by itself.
        const auto request = requests_.find(id);
        const json ours = request == requests_.end() ? json() : pool.last(request->second);
        message["id"] = ours.is_object() ? ours["id"] : json(1'000'000);
        hear(message);
    }

    void answer(const Submit& submit, json message) {
        const bool accepted = message["result"] == json(true);
        ++(accepted ? counts.accepted : counts.refused);
        ShareReply understood = read_share_reply(parse_stratum_line(message.dump()));
        if (submit.share) {
            check_hash(submit, message);
            understood = through_session(*submit.share, message).value_or(understood);
            if (accepted) CHECK(submit.assessed == SubmitDecision::kSend);
            if (submit.assessed == SubmitDecision::kStale) CHECK(message["error"][0] == json(21));
        }
        CHECK((understood.verdict == SubmitVerdict::kAccepted) == accepted);
        if (accepted) return;
        const int code = message["error"][0];
        CHECK(understood.code == code);
        CHECK((understood.verdict == SubmitVerdict::kStale) == (code == 21));
        CHECK((understood.kind == RefusalKind::kDuplicate) == (code == 22));
        CHECK(understood.reason == message["error"][1].get<std::string>() + " (" + std::to_string(code) + ")");
    }

    void check_hash(const Submit& submit, const json& message) const {
        const auto file = kOddReplies.find(name_);
        if (file != kOddReplies.end() && file->second.count(submit.id) != 0) return;
        const bool meets = submit.share->hash <= submit.target;
        if (message["result"] == json(true)) CHECK(meets);
        if (message["error"].is_array() && message["error"][0] == json(23)) CHECK_FALSE(meets);
    }

    // Submits it, stale or not; empty where the session does not send it a second time.
    std::optional<ShareReply> through_session(const StratumShare& share, json message) {
        const SubmitDecision decision = session_->assess(share, true);
        const std::optional<SubmitRequest> request = session_->submit(share, now_, true);
        REQUIRE(request.has_value() == (decision == SubmitDecision::kSend));
        if (!request) {
            CHECK(decision == (session_->ready() ? SubmitDecision::kDuplicate : SubmitDecision::kNotYet));
            return std::nullopt;
        }
        pool.add(Send{request->bytes});
        message["id"] = request->id;
        const std::size_t before = pool.replies.size();
        hear(message);
        REQUIRE(pool.replies.size() == before + 1);
        CHECK(pool.replies.back().first == request->id);
        return pool.replies.back().second;
    }

    std::string name_;
    std::vector<json> lines_;
    SteadyTime now_{};
    std::unique_ptr<StratumSession> session_;
    std::map<std::string, std::shared_ptr<const StratumJob>> jobs_;
    std::map<int, std::string> requests_;
    std::vector<Submit> submits_;
};

}  // namespace

TEST_CASE("Recorded conversations with real pools are understood") {
    for (const auto& [name, expected] : kRecordings) {
        Replay replay(name);
        replay.run();
        INFO(name);
        CHECK(replay.counts == expected);
        CHECK(replay.pool.jobs.size() == static_cast<std::size_t>(replay.notifications));
        CHECK(replay.pool.errors.empty());
        CHECK(replay.pool.refusals.empty());
        CHECK(replay.pool.warnings.empty());
    }
}

TEST_CASE("A pool that asks to reconnect, and one that gives a new session in place of the old one") {
    Replay replay("ckpool-lhr_reconnect_drop");
    replay.run();
    CHECK(replay.pool.reconnects == std::vector<std::string>{":0:0"});
    REQUIRE(replay.pool.subscriptions.size() == 2);
    CHECK(replay.pool.subscriptions[0].session == "6b0015df");
    CHECK(replay.pool.subscriptions[0].extranonce1 == "df15006b");
    CHECK(replay.pool.subscriptions[0].extranonce2_size == 8);
    CHECK(replay.pool.subscriptions[1].session == "6b0015e0");
    CHECK_FALSE(replay.pool.subscriptions[1].resumed);
    CHECK(replay.pool.difficulties == std::vector<double>{0.002, 0.005, 0.002});
}
