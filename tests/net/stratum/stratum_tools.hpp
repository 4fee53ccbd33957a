// What the tests of the Stratum session share: a handler that writes down, and messages as pools send them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/stratum/session.hpp"

namespace gpuminer::net::test {

using nlohmann::json;

/// Writes down all that a session does.
struct Recorder : StratumHandler {
    std::vector<json> sent;
    std::vector<Subscription> subscriptions;
    std::vector<std::shared_ptr<const StratumJob>> jobs;
    std::vector<double> difficulties;
    std::vector<std::pair<std::uint64_t, ShareReply>> answers;
    std::vector<std::string> reconnects;  // "host:port:seconds"
    std::vector<std::string> messages, warnings, refusals, errors;
    int logins = 0;

    void send(std::string line) override { sent.push_back(json::parse(line)); }
    void subscribed(const Subscription& subscription) override { subscriptions.push_back(subscription); }
    void logged_in() override { ++logins; }
    void refused(std::string sentence) override { refusals.push_back(std::move(sentence)); }
    void job(std::shared_ptr<const StratumJob> job) override { jobs.push_back(std::move(job)); }
    void difficulty(double difficulty) override { difficulties.push_back(difficulty); }
    void share_answered(std::uint64_t id, const ShareReply& answer) override { answers.emplace_back(id, answer); }
    void reconnect(std::string host, std::uint16_t port, std::chrono::seconds wait) override {
        reconnects.push_back(host + ":" + std::to_string(port) + ":" + std::to_string(wait.count()));
    }
    void show_message(std::string text) override { messages.push_back(std::move(text)); }
    void warning(std::string sentence) override { warnings.push_back(std::move(sentence)); }
    void protocol_error(std::string sentence) override { errors.push_back(std::move(sentence)); }

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
    explicit Talk(StratumOptions chosen = options()) : session(std::move(chosen), pool) { session.start(now); }

    Recorder pool;
    SteadyTime now{std::chrono::hours(1)};
    StratumSession session;

    void hear(const json& message) { session.line(message.dump(), now); }
    void hear_text(const std::string& line) { session.line(line, now); }
    /// Replies to the last request of this method.
    void reply(const std::string& method, const json& result, const json& error = nullptr) {
        hear({{"id", pool.last(method).value("id", json(-1))}, {"result", result}, {"error", error}});
    }
    void call(const std::string& method, const json& params) {
        hear({{"id", nullptr}, {"method", method}, {"params", params}});
    }
    void wait(std::chrono::seconds time) {
        now += time;
        session.tick(now);
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

}  // namespace gpuminer::net::test
