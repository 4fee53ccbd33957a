#include "net/solo/client.hpp"

#include <cstdint>
#include <exception>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "host/mutex.hpp"
#include "net/journal/journal.hpp"
#include "net/solo/supervisor.hpp"

namespace gpuminer::net {
namespace {

std::uint64_t some_seed() {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
}

// The client's thread, and the functions that other threads call.
class SoloClient final : public WorkClient {
public:
    SoloClient(const SoloOptions& options, const SoloNodes& nodes, WorkCallbacks callbacks)
        : state_(loop_, options, nodes, std::move(callbacks), some_seed()),
          journal_(options.journal,
                   {.say = state_.callbacks.say,
                    .changed = [this, post = loop_.poster()] { post([this] { supervisor_.journal_changed(); }); },
                    .stopped = state_.callbacks.stopped,
                    .required = options.journal_required}),
          off_loop_(loop_),
          supervisor_(state_, off_loop_, journal_, [this] { note_change(); }) {
        note_change();
        loop_.post([this] { supervisor_.start(); });
        thread_ = std::thread([this] { run(); });
    }

    ~SoloClient() override { end_thread(); }

    void found(const JobHit& found) override {
        const MutexLock lock(mutex_);
        ++found_;
        loop_.post([this, found] {
            ++taken_;
            supervisor_.take(found);
        });
    }

    [[nodiscard]] WorkStatus status() const override {
        const MutexLock lock(mutex_);
        WorkStatus status = status_;
        status.unanswered += found_ - taken_by_status_;
        return status;
    }

    bool finish(std::chrono::milliseconds patience) override {
        const MutexLock lock(mutex_);
        finished_ = false;
        loop_.post([this] {
            finishing_ = true;
            supervisor_.finish();
        });
        return finished_changed_.wait_for(mutex_, patience, [this]() GPUMINER_REQUIRES(mutex_) { return finished_; });
    }

    WorkStatus end() override {
        end_thread();
        return status();
    }

private:
    void run() {
        for (;;) {
            try {
                return loop_.run();
            } catch (const std::exception& error) {
                state_.say(Severity::kWarning, fmt::format("error in the solo client: {}", error.what()));
            }
        }
    }

    // What was found is in the journal then (which waits for the disk a moment at most).
    void end_thread() {
        if (!thread_.joinable()) return;
        loop_.post([this] {
            ending_ = true;
            supervisor_.stop();
            note_change();
        });
        thread_.join();
    }

    void note_change() {
        WorkStatus status = supervisor_.status();
        if (ending_ && supervisor_.assembled()) loop_.stop();
        const MutexLock lock(mutex_);
        status_ = std::move(status);
        taken_by_status_ = taken_;
        finished_ = finishing_ && found_ == taken_ && supervisor_.idle();
        if (finished_) finished_changed_.notify_all();
    }

    mutable Mutex mutex_;  // the event loop's is taken within it
    WorkStatus status_ GPUMINER_GUARDED_BY(mutex_);
    std::uint64_t found_ GPUMINER_GUARDED_BY(mutex_) = 0;            // hits
    std::uint64_t taken_by_status_ GPUMINER_GUARDED_BY(mutex_) = 0;  // of them, those that are in the status
    bool finished_ GPUMINER_GUARDED_BY(mutex_) = false;              // every node has answered for every block
    Condition finished_changed_;

    EventLoop loop_;
    SoloState state_;  // on the loop's thread, as are all but the journal from here on
    Journal journal_;
    OffLoop off_loop_;  // its threads write to the journal
    SoloSupervisor supervisor_;
    std::uint64_t taken_ = 0;  // hits
    bool finishing_ = false;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<WorkClient> make_solo_client(const SoloOptions& options, const SoloNodes& nodes,
                                             WorkCallbacks callbacks) {
    return std::make_unique<SoloClient>(options, nodes, std::move(callbacks));
}

}  // namespace gpuminer::net
