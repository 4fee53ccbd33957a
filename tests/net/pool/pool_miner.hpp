// Shared by the tests of the pool's client: a client whose callbacks are recorded, and a miner of easy jobs.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/search/mining_job.hpp"
#include "net/pool/client.hpp"
#include "net/pool/options.hpp"
#include "net/work_client.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/net/eventually.hpp"
#include "tests/net/journal/journal_files.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;

/// A folder for the journal, gone at the end.
struct Folder {
    const gpuminer::test::TemporaryFolder folder;
    const std::filesystem::path path = folder.path();

    [[nodiscard]] std::vector<nlohmann::json> journal() const { return entries_of(path / "pool.jsonl"); }
    [[nodiscard]] std::size_t count(const std::string& event) const {
        const auto lines = journal();
        return static_cast<std::size_t>(
            std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line["event"] == event; }));
    }
};

/// With pauses of some milliseconds.
inline PoolOptions pool_options(const std::filesystem::path& journal, const std::vector<std::string>& urls) {
    PoolOptions options;
    for (const std::string& url : urls) options.pools.push_back({parse_pool_url(url), "user.worker", "x"});
    options.retry_pause = 0.02;
    options.retries = 200;
    options.suggest_difficulty = 0.001;
    options.journal = journal;
    options.agent = "gpuminer/test";
    return options;
}
inline PoolOptions pool_options(const Folder& folder, const std::vector<std::string>& urls) {
    return pool_options(folder.path / "pool.jsonl", urls);
}

inline PoolTiming quick() {
    PoolTiming timing;
    timing.tick_every = std::chrono::milliseconds(20);
    timing.trust_after = std::chrono::milliseconds(0);
    // What a test does not shorten does not happen, however slow the machine is.
    timing.wait_for_answer = timing.wait_for_traffic = timing.wait_for_reply = std::chrono::hours(1);
    timing.seed = 1;
    return timing;
}

class PoolMiner {
public:
    explicit PoolMiner(const PoolOptions& options, const PoolTiming& timing = quick())
        : PoolMiner(options, timing, std::make_unique<JournalFile>(options.journal)) {}
    PoolMiner(const PoolOptions& options, const PoolTiming& timing, std::unique_ptr<JournalStore> store) {
        WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            const std::lock_guard lock(mutex_);
            job_ = std::move(job);
            next_index_[job_.get()] = 0;
            ++jobs_;
        };
        callbacks.say = [this](Severity severity, std::string text) {
            const std::lock_guard lock(mutex_);
            said_.push_back({severity, std::move(text)});
        };
        callbacks.hash_rate = [] { return 1e6; };
        callbacks.over = [this](Outcome outcome, std::string sentence) {
            const std::lock_guard lock(mutex_);
            ++overs_;
            over_ = {outcome, std::move(sentence)};
        };
        client_ = make_pool_client(options, std::move(callbacks), timing, std::move(store));
    }

    WorkClient& operator*() { return *client_; }
    WorkClient* operator->() { return client_.get(); }
    /// As kill -9 would, as far as the pool and the journal can tell.
    void kill() { client_.reset(); }
    /// Waits for the replies that are due.
    bool finish() {
        return eventually([this] { return client_->finish(std::chrono::milliseconds(0)); });
    }

    std::shared_ptr<const MiningJob> job() const {
        const std::lock_guard lock(mutex_);
        return job_;
    }
    /// Number of new_job() calls so far.
    int jobs() const {
        const std::lock_guard lock(mutex_);
        return jobs_;
    }
    bool has_job() {
        return eventually([this] { return job() != nullptr; });
    }
    /// Searches on until there is a hit of `job`, which counts each header once.
    JobHit search(const std::shared_ptr<const MiningJob>& job) {
        for (;;) {
            std::uint64_t index = 0;
            {
                const std::lock_guard lock(mutex_);
                index = next_index_[job.get()]++;
            }
            BlockHeader header = job->header(index);
            header.set_version(header.version() | (rolled & job->version_mask()));
            for (std::uint32_t nonce = 0; nonce < 1000; ++nonce) {
                const BlockHeader candidate = header.with_nonce(nonce);
                const Checked checked = check(candidate, job->target());
                if (checked.verdict != Verdict::hit) continue;
                return {job, index, {candidate.version(), nonce, checked.hash, candidate}};
            }
        }
    }
    std::uint32_t rolled = 0;  ///< version bits that it sets where it may
    void mine(int shares = 1) {
        const auto job = this->job();
        REQUIRE(job);
        for (int i = 0; i < shares; ++i) client_->found(search(job));
    }

    bool said(const std::string& part) const { return said_times(part) > 0; }
    int said_times(const std::string& part) const {
        const std::lock_guard lock(mutex_);
        return static_cast<int>(std::count_if(said_.begin(), said_.end(), [&](const Notice& notice) {
            return notice.text.find(part) != std::string::npos;
        }));
    }
    bool warned(const std::string& part) const {
        const std::lock_guard lock(mutex_);
        return std::any_of(said_.begin(), said_.end(), [&](const Notice& notice) {
            return notice.severity >= Severity::kWarning && notice.text.find(part) != std::string::npos;
        });
    }
    std::string all_said() const {
        const std::lock_guard lock(mutex_);
        std::string text;
        for (const Notice& notice : said_) text += notice.text + "\n";
        return text;
    }
    std::optional<std::pair<Outcome, std::string>> over() const {
        const std::lock_guard lock(mutex_);
        return over_;
    }
    int overs() const {
        const std::lock_guard lock(mutex_);
        return overs_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const MiningJob> job_;
    std::map<const MiningJob*, std::uint64_t>
        next_index_;  // of each job, as one may be searched that was just replaced
    int jobs_ = 0;
    int overs_ = 0;
    std::vector<Notice> said_;
    std::optional<std::pair<Outcome, std::string>> over_;
    std::unique_ptr<WorkClient> client_;
};

}  // namespace gpuminer::test
