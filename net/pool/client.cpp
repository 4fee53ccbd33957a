#include "net/pool/client.hpp"

#include <chrono>
#include <deque>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/files/path_text.hpp"
#include "host/mutex.hpp"
#include "net/journal/journal.hpp"
#include "net/pool/messages.hpp"
#include "net/pool/options.hpp"
#include "net/pool/supervisor.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/transport/tls.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kMostFound = 1000;  // that wait for the client's thread

// The client's thread, and the functions that other threads call.
class PoolClient : public WorkClient {
public:
    PoolClient(const PoolOptions& options, WorkCallbacks callbacks, const PoolTiming& timing,
               std::unique_ptr<JournalStore> store)
        : options_(options),
          callbacks_(std::move(callbacks)),
          journal_(std::move(store),
                   {.say = callbacks_.say,
                    .changed = [this, post = loop_.poster()] { post([this] { supervisor_.journal_changed(); }); },
                    .stopped = callbacks_.stopped,
                    .required = options_.journal_required},
                   timing.journal),
          stats_(options_),
          supervisor_(loop_, options_, callbacks_, timing, journal_, stats_, [this] { check_finished(); }) {
        loop_.post([this] { supervisor_.start(); });
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    void found(const JobHit& found) override {
        {
            const MutexLock lock(mutex_);
            if (found_.size() >= kMostFound) {
                ++lost_;
                return;
            }
            found_.push_back(found);
            if (std::exchange(taking_, true)) return;
        }
        loop_.post([this] { take_found(); });
    }

    WorkStatus status() const override {
        WorkStatus status = stats_.snapshot();
        const MutexLock lock(mutex_);
        status.details["lost"] = lost_;
        status.details["journal"] = path_text(journal_.path());
        return status;
    }

    bool use_pool(std::size_t number) override {
        if (number >= options_.pools.size()) return false;
        loop_.post([this, number] { supervisor_.use_pool(number); });
        return true;
    }

    bool finish(std::chrono::milliseconds patience) override {
        loop_.post([this] {
            finishing_ = true;
            supervisor_.finish();
        });
        const MutexLock lock(mutex_);
        return finished_changed_.wait_for(mutex_, patience, [this]() GPUMINER_REQUIRES(mutex_) { return finished_; });
    }

    WorkStatus end() override {
        thread_ = {};
        return status();
    }

private:
    void run(const std::stop_token& stop) {
        const std::stop_callback end(stop, [this] { loop_.stop(); });
        for (;;) {
            try {
                return loop_.run();
            } catch (const std::exception& error) {
                supervisor_.say(Severity::kWarning, fmt::format("error in the pool client: {}", error.what()));
            }
        }
    }

    // One a task, so that lines of the pool are handled in between.
    void take_found() {
        JobHit found;
        std::uint64_t lost = 0;
        {
            const MutexLock lock(mutex_);
            found = std::move(found_.front());
            found_.pop_front();
            taking_ = !found_.empty();
            lost = lost_;
            if (taking_) loop_.post([this] { take_found(); });
        }
        supervisor_.take(found);
        warn_of_lost(lost);
        check_finished();
    }

    // By time: while very many shares are found, the queue never runs empty.
    void warn_of_lost(std::uint64_t lost) {
        const SteadyTime now = steady_now();
        const bool lately = warned_at_ != SteadyTime{} && now - warned_at_ < std::chrono::seconds(10);
        if (lost == warned_of_ || lately) return;
        supervisor_.say(
            Severity::kWarning,
            fmt::format("{} shares were lost: found faster than they can be recorded and sent, as the pool's "
                        "difficulty is too low ({})",
                        lost - warned_of_, where_to_ask(dialect_of(*options_.algorithm).suggests_difficulty)));
        warned_of_ = lost;
        warned_at_ = now;
    }

    void check_finished() {
        if (!finishing_) return;
        const bool idle = supervisor_.idle();
        const MutexLock lock(mutex_);
        finished_ = idle && found_.empty();
        if (finished_) finished_changed_.notify_all();
    }

    const PoolOptions options_;
    const WorkCallbacks callbacks_;

    mutable Mutex mutex_;  // the event loop's is taken within it
    std::deque<JobHit> found_ GPUMINER_GUARDED_BY(mutex_);
    bool taking_ GPUMINER_GUARDED_BY(mutex_) = false;     // take_found() is to run
    std::uint64_t lost_ GPUMINER_GUARDED_BY(mutex_) = 0;  // since the start
    bool finished_ GPUMINER_GUARDED_BY(mutex_) = false;
    Condition finished_changed_;

    EventLoop loop_;
    Journal journal_;
    PoolStats stats_;
    PoolSupervisor supervisor_;  // on the loop's thread, as the next three
    bool finishing_ = false;
    std::uint64_t warned_of_ = 0;  // of those lost
    SteadyTime warned_at_{};
    std::jthread thread_;  // the last: it ends before what it uses
};

}  // namespace

void read_files(PoolOptions& options) { read_ca_file(options.tls); }

std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks,
                                             const PoolTiming& timing, std::unique_ptr<JournalStore> store) {
    return std::make_unique<PoolClient>(options, std::move(callbacks), timing, std::move(store));
}

std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks) {
    return make_pool_client(options, std::move(callbacks), PoolTiming{},
                            std::make_unique<JournalFile>(options.journal));
}

}  // namespace gpuminer::net
