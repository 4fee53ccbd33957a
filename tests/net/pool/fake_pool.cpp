#include "tests/net/pool/fake_pool.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/text/text.hpp"
#include "tests/net/pool/submitted_hash.hpp"

namespace gpuminer::test {
namespace {

using nlohmann::json;

}  // namespace

FakePool::FakePool(FakePoolSetting setting, SSL_CTX* tls)
    : setting_(std::move(setting)), server_([this](Peer& peer, int number) { serve(peer, number); }, tls) {}

std::vector<SeenShare> FakePool::shares() const {
    const std::lock_guard lock(mutex_);
    return shares_;
}

std::size_t FakePool::count(const std::string& verdict) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(),
                                                  [&](const SeenShare& share) { return share.verdict == verdict; }));
}

std::vector<json> FakePool::requests(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    std::vector<json> found;
    for (const json& line : lines_) {
        if (line.value("method", "") == method) found.push_back(line);
    }
    return found;
}

void FakePool::send(Peer& peer, const json& message) const {
    const std::string line = message.dump() + "\n";
    if (setting_.piece == 0) {
        peer.send(line);
        return;
    }
    for (std::size_t at = 0; at < line.size(); at += setting_.piece) peer.send(line.substr(at, setting_.piece));
}

void FakePool::notify(Peer& peer, const std::string& id, bool clean) {
    static const std::string kCoinbase1 =
        "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0c03000001";
    static const std::string kCoinbase2 =
        "ffffffff0100f2052a01000000160014111111111111111111111111111111111111111100000000";
    json job = {id,
                fmt::format("{:0>64}", to_hex(std::vector<std::uint8_t>(id.begin(), id.end()))),
                kCoinbase1,
                kCoinbase2,
                json::array({std::string(64, 'a'), std::string(64, '1')}),
                setting_.version,
                setting_.nbits,
                "65000000",
                clean};
    {
        const std::lock_guard lock(mutex_);
        if (clean) jobs_.clear();
        jobs_[id] = job;
    }
    send(peer, {{"id", nullptr}, {"method", "mining.notify"}, {"params", job}});
}

void FakePool::serve(Peer& peer, int number) {
    while (const auto line = peer.read_line()) {
        const json message = json::parse(*line, nullptr, false);
        if (!message.is_object()) return;  // TLS, where none is spoken
        {
            const std::lock_guard lock(mutex_);
            lines_.push_back(message);
        }
        if (setting_.intercept && setting_.intercept(peer, number, message)) continue;
        if (!handle(peer, number, message)) return;
    }
}

bool FakePool::handle(Peer& peer, int number, const json& message) {
    const std::string method = message.value("method", "");
    const json id = message.value("id", json());
    const auto reply = [&](const json& result) { send(peer, {{"id", id}, {"result", result}, {"error", nullptr}}); };
    if (method == "mining.configure") {
        if (setting_.version_rolling) {
            reply({{"version-rolling", true}, {"version-rolling.mask", setting_.version_mask}});
        } else {
            reply(json::object());
        }
    } else if (method == "mining.subscribe") {
        const bool resumed = setting_.resume && message["params"].size() > 1;
        const std::string extranonce1 =
            resumed || number == 1 ? setting_.extranonce1 : fmt::format("{:08x}", 0xee000000 + number);
        {
            const std::lock_guard lock(mutex_);
            extranonce1_[number] = extranonce1;
        }
        reply(json::array(
            {json::array({json::array({"mining.notify", setting_.session})}), extranonce1, setting_.extranonce2_size}));
    } else if (method == "mining.authorize") {
        if (!setting_.authorize) {
            send(peer, {{"id", id}, {"result", false}, {"error", {24, "Unauthorized worker", nullptr}}});
            return true;
        }
        reply(true);
        send(peer,
             {{"id", nullptr}, {"method", "mining.set_difficulty"}, {"params", json::array({setting_.difficulty})}});
        notify(peer, fmt::format("job{}", number), number == 1);  // shares of before a cut are still good
        if (setting_.after_login) setting_.after_login(peer, number);
    } else if (method == "mining.submit") {
        const json answer = judge(number, message["params"]);
        if (setting_.before_reply && setting_.before_reply(peer, number)) return false;
        if (answer.is_null()) {
            reply(true);
        } else {
            send(peer, {{"id", id}, {"result", nullptr}, {"error", answer}});
        }
    } else if (method == "mining.extranonce.subscribe") {
        reply(true);
    }
    return true;
}

// Null: accepted; else the error. Jobs outlive connections, as those of a pool that resumes sessions do.
json FakePool::judge(int number, const json& params) {
    const std::lock_guard lock(mutex_);
    SeenShare seen{number, params, "accepted"};
    json error;
    const auto job = jobs_.find(params[1].get<std::string>());
    if (job == jobs_.end()) {
        seen.verdict = "stale";
        error = {21, "Job not found", nullptr};
    } else {
        const auto number_in = [](const json& hex) {
            return static_cast<std::uint32_t>(std::stoul(hex.get<std::string>(), nullptr, 16));
        };
        const std::uint32_t of_job = number_in(job->second[5]);
        const std::uint32_t version = params.size() > 5 ? setting_.version_of(of_job, number_in(params[5])) : of_job;
        const Hash256 hash = submitted_hash(job->second, version, extranonce1_[number], params);
        const bool other_version = setting_.only_the_jobs_version && version != of_job;
        if (other_version || difficulty_of_hash(hash) < setting_.difficulty * 0.999) {
            seen.verdict = "low";
            error = {23, "Low difficulty share", nullptr};
        } else if (!known_.insert(hash.hex()).second) {
            seen.verdict = "duplicate";
            error = {22, "Duplicate share", nullptr};
        }
    }
    shares_.push_back(std::move(seen));
    return error;
}

}  // namespace gpuminer::test
