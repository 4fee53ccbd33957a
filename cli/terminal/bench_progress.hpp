// Progress of a benchmark, on standard error: a live bar on a terminal, a line every 10 s otherwise.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "host/mutex.hpp"

namespace gpuminer {

class BenchProgress {
public:
    BenchProgress(bool quiet, bool terminal);
    ~BenchProgress();
    BenchProgress(const BenchProgress&) = delete;
    BenchProgress& operator=(const BenchProgress&) = delete;

    // From any thread:
    /// `done`: 0 … 1; `what` is being measured now.
    void update(double done, const std::string& what);
    /// Prints how far it is, whatever the options.
    void statistics();

    /// While this is there, no bar is on the terminal: others write on it. One at a time.
    class Hiding {
    public:
        explicit Hiding(BenchProgress& progress) : progress_(progress) { progress_.hide(true); }
        ~Hiding() { progress_.hide(false); }
        Hiding(const Hiding&) = delete;
        Hiding& operator=(const Hiding&) = delete;

    private:
        BenchProgress& progress_;
    };

private:
    using Clock = std::chrono::steady_clock;

    void run(const std::stop_token& stop);
    void hide(bool hidden);
    [[nodiscard]] std::string text() const GPUMINER_REQUIRES(mutex_);

    const bool quiet_;
    const bool terminal_;
    const Clock::time_point started_ = Clock::now();

    Mutex mutex_;
    Condition wake_;
    double done_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::string what_ GPUMINER_GUARDED_BY(mutex_);
    bool hidden_ GPUMINER_GUARDED_BY(mutex_) = false;
    std::jthread thread_;
};

}  // namespace gpuminer
