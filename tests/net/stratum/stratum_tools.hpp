// Shared by the tests of the Stratum session: a record of its events, and messages as pools send them.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/text/text.hpp"
#include "net/stratum/bitcoin.hpp"
#include "net/stratum/session.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;

using nlohmann::json;

/// The events of a session, sorted by kind.
struct Record {
    std::vector<json> sent;
    std::vector<Subscription> subscriptions;
    std::vector<std::shared_ptr<const StratumJob>> jobs;
    std::vector<double> difficulties;
    std::vector<std::pair<std::uint64_t, ShareReply>> replies;
    std::vector<std::string> reconnects;  // "host:port:seconds"
    std::vector<std::string> messages, warnings, refusals, errors;
    int logins = 0;

    void add(const StratumEvents& events) {
        for (const StratumEvent& event : events) std::visit([this](const auto& known) { add(known); }, event);
    }
    void add(const Send& event) { sent.push_back(json::parse(event.bytes)); }
    void add(const Subscribed& event) { subscriptions.push_back(event.subscription); }
    void add(const LoggedIn&) { ++logins; }
    void add(const LoginRefused& event) { refusals.push_back(event.sentence); }
    void add(const NewJob& event) { jobs.push_back(event.job); }
    void add(const DifficultyChanged& event) { difficulties.push_back(event.difficulty); }
    void add(const ShareReplied& event) { replies.emplace_back(event.request, event.reply); }
    void add(const ReconnectRequested& event) {
        reconnects.push_back(event.host + ":" + std::to_string(event.port) + ":" + std::to_string(event.wait.count()));
    }
    void add(const OperatorMessage& event) { messages.push_back(event.text); }
    void add(const Warning& event) { warnings.push_back(event.sentence); }
    void add(const ProtocolViolation& event) { errors.push_back(event.sentence); }

    /// The last request of this method; null where there was none.
    [[nodiscard]] json last(const std::string& method) const {
        for (auto at = sent.rbegin(); at != sent.rend(); ++at) {
            if (at->value("method", json()) == json(method)) return *at;
        }
        return {};
    }
    [[nodiscard]] std::vector<std::string> methods() const {
        std::vector<std::string> all;
        for (const json& message : sent) all.push_back(message.value("method", "(reply)"));
        return all;
    }
};

inline StratumOptions options() {
    StratumOptions options;
    options.user = "user.worker";
    options.agent = "gpuminer/test";
    return options;
}

/// The result of mining.subscribe. (Of lists of pairs nlohmann-json makes objects where it can.)
inline json subscription(const std::string& session, const std::string& extranonce1, int extranonce2_size) {
    const json difficulty = json::array({"mining.set_difficulty", "d" + session});
    return json::array(
        {json::array({difficulty, json::array({"mining.notify", session})}), extranonce1, extranonce2_size});
}

/// A session in conversation with the test.
struct Talk {
    explicit Talk(StratumOptions chosen = options()) : session(std::move(chosen)) { pool.add(session.start(now)); }

    Record pool;
    SteadyTime now{std::chrono::hours(1)};
    StratumSession session;
    std::string received;  ///< of no whole line

    void hear(const json& message) { hear_text(message.dump()); }
    void hear_text(const std::string& line) { hear_bytes(line + "\n"); }
    /// Whatever pieces they come in.
    void hear_bytes(const std::string& bytes) {
        received += bytes;
        while (const auto events = session.next(received, now)) pool.add(*events);
    }
    /// The outcome, and the request's id where the share is sent.
    std::pair<SubmitDecision, std::uint64_t> submit(const StratumShare& share, bool again = false) {
        const SubmitDecision decision = session.assess(share, again);
        const std::optional<SubmitRequest> request = session.submit(share, now, again);
        REQUIRE(request.has_value() == (decision == SubmitDecision::kSend));
        if (!request) return {decision, 0};
        pool.add(Send{request->bytes});
        return {decision, request->id};
    }
    void suggest(double difficulty) { pool.add(session.set_suggested_difficulty(difficulty, now)); }
    /// Replies to the last request of this method.
    void reply(const std::string& method, const json& result, const json& error = nullptr) {
        hear({{"id", pool.last(method).value("id", json(-1))}, {"result", result}, {"error", error}});
    }
    void call(const std::string& method, const json& params) {
        hear({{"id", nullptr}, {"method", method}, {"params", params}});
    }
    void wait(std::chrono::seconds time) {
        now += time;
        pool.add(session.tick(now));
    }
    /// Through configure, subscribe and authorize.
    void log_in(const json& configured = json::object(), const std::string& extranonce1 = "f00dcafe", int size = 4) {
        reply("mining.configure", configured);
        reply("mining.subscribe", subscription("session1", extranonce1, size));
        reply("mining.authorize", true);
    }
};

inline const json kRolling = {{"version-rolling", true}, {"version-rolling.mask", "1fffe000"}};

// A real coinbase (ckpool, regtest), shortened for 8 bytes of extranonce.
inline constexpr const char* kCoinbase1 =
    "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff2e020e010004dc1b006b04758305"
    "180c";
inline constexpr const char* kCoinbase2 =
    "0a636b706f6f6c2d6c68720b2f6e6f6465732d6c68722fffffffff0200f902950000000016001411111111111111111111111111"
    "111111111111110000000000000000266a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836"
    "974e8cf900000000";

/// The parameters of mining.notify.
inline json notify_params(const std::string& id, bool clean = false) {
    return {id,
            "ddf831d25f8c140ee589ee7cd549f622e29cae707e70dc48bac8d8dd449261e0",
            kCoinbase1,
            kCoinbase2,
            json::array({std::string(64, 'a'), std::string(64, '5')}),
            "20000000",
            "207fffff",
            "6b001bdc",
            clean};
}

inline Bytes from_hex(const std::string& digits) {
    Bytes bytes(digits.size() / 2);
    decode_hex(digits, bytes);
    return bytes;
}

inline Bytes digest(const Bytes& data) {  // internal order
    const Hash256 hash = double_sha256(data);
    return {hash.bytes.rbegin(), hash.bytes.rend()};
}

/// The merkle root as the protocol's description has it, without midstates.
inline Hash256 root_of(const json& params, const std::string& extranonce1, const std::string& extranonce2) {
    Bytes root =
        digest(from_hex(params[2].get<std::string>() + extranonce1 + extranonce2 + params[3].get<std::string>()));
    for (const json& branch : params[4]) {
        const Bytes right = from_hex(branch);
        root.insert(root.end(), right.begin(), right.end());
        root = digest(root);
    }
    Hash256 hash;
    std::copy(root.rbegin(), root.rend(), hash.bytes.begin());
    return hash;
}

/// Of a job of the tests: difficulty 1, no version rolling.
inline JobParameters parameters(const std::string& extranonce1 = "f00dcafe", unsigned size = 4) {
    JobParameters parameters;
    parameters.extranonce1 = from_hex(extranonce1);
    parameters.extranonce2_size = size;
    return parameters;
}

inline std::shared_ptr<const StratumJob> make_job(const BitcoinNotify& notify, const JobParameters& parameters,
                                                  const StratumJob* continues = nullptr) {
    return std::make_shared<const BitcoinJob>(std::make_shared<const BitcoinNotify>(notify), parameters, continues);
}

inline std::shared_ptr<const StratumJob> make_job(const JobParameters& parameters,
                                                  const json& params = notify_params("1")) {
    return make_job(parse_bitcoin_notify(params), parameters);
}

/// What a device would report of header `index`; the nonce is any.
inline StratumShare share_of(const std::shared_ptr<const StratumJob>& job, std::uint64_t index, std::uint32_t nonce,
                             std::uint32_t bits = 0, bool solves_block = false) {
    JobHit found;
    found.job = job;
    found.index = index;
    const BlockHeader header = job->header(index).with_nonce(nonce);
    found.hit.header = header.with_version(header.version() ^ bits);
    found.hit.version = found.hit.header.version();
    found.hit.nonce = nonce;
    found.hit.hash.bytes.fill(0xff);  // no block
    found.hit.hash.bytes[30] = static_cast<std::uint8_t>(index);
    found.hit.hash.bytes[31] = static_cast<std::uint8_t>(nonce);
    if (solves_block) found.hit.hash.bytes[0] = 0;
    return job->share(found);
}

}  // namespace gpuminer::test
