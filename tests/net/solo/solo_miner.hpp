// Common parts of the tests of the node's client: options, and the program around a client.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "net/solo/client.hpp"
#include "net/solo/template_job.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"
#include "tests/net/journal/journal_files.hpp"
#include "tests/net/node/fake_node.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;
using nlohmann::json;

// BIP 173's example key, P2WPKH: script 0014751e76e8199196d454941c45d1b3a323f1433bd6.
inline constexpr const char* kRegtestAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
inline constexpr const char* kTestAddress = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx";
inline constexpr const char* kScript = "0014751e76e8199196d454941c45d1b3a323f1433bd6";

inline json recorded_template(const std::string& name) { return test::load_template_file(name).at("template"); }

inline SoloOptions options_for(const std::vector<std::string>& nodes, const test::TemporaryFolder& folder) {
    SoloOptions options;
    options.nodes = nodes;
    options.coinbase_address = kRegtestAddress;
    options.journal = folder.path() / "solo.jsonl";
    options.retry_pause = 0.02;
    return options;
}

/// The program around a client: takes its jobs, solves them, keeps what it says.
class Miner {
public:
    explicit Miner(const SoloOptions& options) : Miner(options, find_nodes(options)) {}
    Miner(const SoloOptions& options, const SoloNodes& nodes) {
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
        client = make_solo_client(options, nodes, callbacks);
    }
    ~Miner() { client.reset(); }  // before what its callbacks use
    Miner(const Miner&) = delete;
    Miner& operator=(const Miner&) = delete;

    /// False: not within a minute.
    template <typename Condition>
    bool wait(Condition condition) {
        std::unique_lock lock(mutex_);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition(*this)) {  // some conditions are about the client, which calls nobody when they come true
            if (std::chrono::steady_clock::now() > until) return false;
            changed_.wait_for(lock, std::chrono::milliseconds(5));
        }
        return true;
    }
    bool wait_for_job() {
        return wait([](Miner& m) { return m.job_ != nullptr; });
    }
    bool wait_for_current_job(const std::function<bool(const TemplateJob&)>& condition) {
        return wait([&](Miner& m) {
            const auto job = std::dynamic_pointer_cast<const TemplateJob>(m.job_);
            return job && condition(*job);
        });
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
    static JobHit solve(const std::shared_ptr<const TemplateJob>& job, std::uint64_t index = 0) {
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

inline std::vector<json> journal_of(const test::TemporaryFolder& folder) {
    return entries_of(folder.path() / "solo.jsonl");
}

}  // namespace gpuminer::test
