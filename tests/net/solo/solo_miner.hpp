// Common parts of the tests of the solo client, on virtual time: scripted nodes, options, and the program around a
// client.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "net/journal/entries.hpp"
#include "net/solo/options.hpp"
#include "net/solo/template_job.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"
#include "tests/simulation/solo_world.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;
using nlohmann::json;
using simulation::NodeReply;

// BIP 173's example key, P2WPKH: script 0014751e76e8199196d454941c45d1b3a323f1433bd6.
inline constexpr const char* kRegtestAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
inline constexpr const char* kTestAddress = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx";
inline constexpr const char* kScript = "0014751e76e8199196d454941c45d1b3a323f1433bd6";
inline constexpr const char* kNobody = "http://nobody.example.com:18443";

inline json recorded_template(const std::string& name) { return load_template_file(name).at("template"); }
inline json regtest_template() { return recorded_template("core_regtest_h128.json"); }

/// The simulator's node by itself, or with the replies that a test sets.
class ScriptedNode final : public simulation::NodeModel {
public:
    ScriptedNode(simulation::SoloWorld& world, std::size_t number) : NodeModel(world, number, {.has_peers = false}) {}

    void set_btcd() { traits_.is_btcd = true; }
    void set_chain(const std::string& name) { traits_.chain = name; }
    /// The first one; an accepted block makes the next one of it.
    void set_template(const json& block_template) {
        traits_.block_template = block_template;
        begin_at(block_template.at("previousblockhash"), block_template.at("height").get<std::uint64_t>() - 1);
    }
    /// Changes fields of this template and those that follow.
    void change_template(const json& fields) { traits_.block_template.update(fields); }
    /// A block of somebody else's on the tip; its hash.
    std::string extend() {
        hear_of(world_.tree.make(tip()));
        return tip();
    }

    /// This method's result, or its JSON-RPC error, from now on.
    void set_result(const std::string& method, const json& result) { overrides_[method] = {{"result", result}}; }
    void set_error(const std::string& method, int code, const std::string& message) {
        overrides_[method] = {{"error", {{"code", code}, {"message", message}}}};
    }
    /// Back to what the node does by itself.
    void reset(const std::string& method) { overrides_.erase(method); }
    /// Every call gets this.
    void set_raw(const NodeReply& reply) { raw_ = reply; }
    /// Calls of this method get their reply when it is released.
    void hold(const std::string& method) { held_.insert(method); }
    void release(const std::string& method) {
        held_.erase(method);
        for (const auto& reply : std::exchange(waiting_[method], {})) reply();
    }
    /// Of more than so many calls at a time it refuses the last with HTTP 503, as Bitcoin Core does.
    void set_most_calls(unsigned most) { most_calls_ = most; }
    /// How many calls it has refused for that.
    [[nodiscard]] unsigned refused() const { return refused_; }

    [[nodiscard]] unsigned calls(const std::string& method) { return calls_[method]; }
    [[nodiscard]] json last_request(const std::string& method) { return requests_[method]; }
    /// Blocks that came by submitblock, in hex, in order.
    [[nodiscard]] const std::vector<std::string>& blocks() const { return blocks_; }

    void serve(const std::string& method, const json& params, const Reply& reply) override {
        ++under_way_;
        const Reply finish = [this, reply](const NodeReply& answer) {
            world_.time.after(std::chrono::milliseconds(10), [this, reply, answer] {
                --under_way_;
                reply(answer);
            });
        };
        if (raw_) return finish(*raw_);
        if (under_way_ > most_calls_) {
            ++refused_;
            return finish({503, "Work queue depth exceeded"});
        }
        ++calls_[method];
        requests_[method] = params;
        if (!held_.contains(method)) return answer(method, params, finish);
        waiting_[method].emplace_back([=, this] { answer(method, params, finish); });
    }

private:
    void answer(const std::string& method, const json& params, const Reply& finish) {
        if (method == "submitblock") blocks_.push_back(params.at(0));
        const auto scripted = overrides_.find(method);
        if (scripted == overrides_.end()) return NodeModel::serve(method, params, finish);
        json body = {{"result", nullptr}, {"error", nullptr}, {"id", 0}};
        body.update(scripted->second);
        finish({body.at("error").is_null() ? 200 : 500, body.dump()});
    }

    std::map<std::string, json> overrides_;  // {"result": …} or {"error": …}
    std::optional<NodeReply> raw_;
    std::set<std::string> held_;
    std::map<std::string, std::vector<std::function<void()>>> waiting_;  // by method
    unsigned most_calls_ = 1000, under_way_ = 0, refused_ = 0;
    std::map<std::string, unsigned> calls_;
    std::map<std::string, json> requests_;
    std::vector<std::string> blocks_;
};

/// In which nothing happens by chance but how long calls and computations take.
class ScriptedWorld : public simulation::SoloWorld {
public:
    ScriptedWorld() : SoloWorld(1, counts_, false) { calm = true; }

    ScriptedNode& add_node(const json& block_template = {}) {
        auto node = std::make_unique<ScriptedNode>(*this, nodes.size());
        if (!block_template.is_null()) node->set_template(block_template);
        nodes.push_back(std::move(node));
        return static_cast<ScriptedNode&>(*nodes.back());
    }
    /// What runs before have written to the journal.
    void leave_in_journal(const std::vector<json>& entries) {
        OpenEntries open;
        for (const json& entry : entries) open.add(entry, entry.dump().size());
        for (const json& entry : open.take()) disk.leave(entry);
    }
    [[nodiscard]] const std::vector<json>& journal() const { return disk.entries(); }

    void pass(std::chrono::milliseconds pause) {
        const SteadyTime end = time.now() + pause;
        while (time.run_next(end)) continue;
    }
    /// False: not within an hour, or as long as is said.
    bool wait(const std::function<bool()>& condition, std::chrono::milliseconds longest = std::chrono::hours(1)) {
        const SteadyTime end = time.now() + longest;
        while (!condition()) {
            if (!time.run_next(end)) return false;
        }
        return true;
    }

private:
    simulation::Tally counts_;
};

inline SoloOptions options_for(const std::vector<std::string>& urls) {
    SoloOptions options;
    options.nodes = urls;
    options.coinbase_address = kRegtestAddress;
    options.journal = "journal";
    options.retry_pause = 0.02;
    return options;
}

/// A hit of the job, with a nonce that OpenSSL finds; regtest asks for two hashes.
inline JobHit solve(const std::shared_ptr<const TemplateJob>& job, std::uint64_t index = 0) {
    for (std::uint32_t nonce = 0;; ++nonce) {
        const BlockHeader header = job->header(index).with_nonce(nonce);
        const Checked checked = check(header, job->target());
        if (checked.verdict == Verdict::hit) return {job, index, {header.version(), nonce, checked.hash, header}};
    }
}

/// The program around a client: takes its jobs, solves them, keeps what it says.
class Miner {
public:
    explicit Miner(const SoloOptions& options) : Miner(options, find_nodes(options)) {}
    Miner(const SoloOptions& options, const SoloNodes& nodes) : run_(options, nodes, callbacks(), 1) {
        run_.loop.post([this] {
            started_ = true;
            run_.supervisor.start();
        });
    }
    /// As a program ends: the journal is written.
    ~Miner() {
        if (!started_) return;
        run_.supervisor.stop();
        world_.wait([this] { return run_.supervisor.assembled(); });
        world_.pass(std::chrono::milliseconds(100));
    }
    Miner(const Miner&) = delete;
    Miner& operator=(const Miner&) = delete;

    void found(const JobHit& hit) { run_.supervisor.take(hit); }
    [[nodiscard]] WorkStatus status() const { return run_.supervisor.status(); }
    /// False: not every block is answered in time.
    bool finish(std::chrono::milliseconds patience = std::chrono::minutes(1)) {
        run_.supervisor.finish();
        return world_.wait([this] { return run_.supervisor.idle(); }, patience);
    }

    bool wait(const std::function<bool()>& condition) { return world_.wait(condition); }
    bool wait_for_job() {
        return wait([this] { return job_ != nullptr; });
    }
    bool wait_for_current_job(const std::function<bool(const TemplateJob&)>& condition) {
        return wait([&] { return job_ && condition(*job_); });
    }
    bool wait_for_text(const std::string& text) {
        return wait([&] { return contains(said_, text); });
    }
    bool wait_until_over() {
        return wait([this] { return over_; });
    }
    bool wait_for_status(const std::function<bool(const WorkStatus&)>& condition) {
        return wait([&] { return condition(status()); });
    }
    /// Finds and delivers one block on each job's previous block until so many are accepted.
    bool mine(std::uint64_t blocks) {
        Hash256 last;
        return wait([&] {
            if (status().accepted >= blocks) return true;
            if (job_ && job_->block_template().previous_hash != last) {
                last = job_->block_template().previous_hash;
                found(solve(job_));
            }
            return false;
        });
    }

    [[nodiscard]] const std::shared_ptr<const TemplateJob>& job() const { return job_; }
    [[nodiscard]] unsigned jobs() const { return jobs_; }
    [[nodiscard]] const std::string& said() const { return said_; }
    [[nodiscard]] Outcome outcome() const { return outcome_; }
    [[nodiscard]] const std::string& sentence() const { return sentence_; }

private:
    WorkCallbacks callbacks() {
        WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            ++jobs_;
            job_ = std::dynamic_pointer_cast<const TemplateJob>(std::move(job));
        };
        callbacks.say = [this](Severity, const std::string& text) { said_ += text + "\n"; };
        callbacks.over = [this](Outcome outcome, const std::string& sentence) {
            CHECK_FALSE(over_);
            over_ = true;
            outcome_ = outcome;
            sentence_ = sentence;
        };
        return callbacks;
    }

    ScriptedWorld& world_ = static_cast<ScriptedWorld&>(simulation::World::current());
    std::shared_ptr<const TemplateJob> job_;
    unsigned jobs_ = 0;
    bool started_ = false, over_ = false;
    std::string said_, sentence_;
    Outcome outcome_ = Outcome::kEnough;
    simulation::SoloRun run_;
};

}  // namespace gpuminer::test
