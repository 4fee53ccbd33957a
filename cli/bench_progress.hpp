// How far a benchmark is, on standard error: a live bar on a terminal, a line every 10 s otherwise.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

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
    /// Takes the bar out of the way of what is printed next.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    void run();
    [[nodiscard]] std::string text() const;
    void show();
    void clear_locked();

    const bool quiet_;
    const bool terminal_;
    const Clock::time_point started_ = Clock::now();

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    bool shown_ = false;
    double done_ = 0;
    std::string what_;
    std::thread thread_;
};

}  // namespace gpuminer
