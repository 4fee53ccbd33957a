#include "cli/terminal/bench_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/logging.hpp"
#include "host/text/format.hpp"
#include "host/threads.hpp"

namespace gpuminer {
namespace {

constexpr std::chrono::milliseconds kBenchTick{200};
constexpr std::chrono::seconds kTimeBetweenBenchLines{10};
constexpr int kBarWidth = 20;

std::string bar(double done) {
    const int filled = static_cast<int>(done * kBarWidth);
    std::string text;
    for (int i = 0; i < kBarWidth; ++i) text += i < filled ? "█" : "░";
    return text;
}

}  // namespace

BenchProgress::BenchProgress(bool quiet, bool terminal)
    : quiet_(quiet), terminal_(terminal), thread_([this](const std::stop_token& stop) { run(stop); }) {}

BenchProgress::~BenchProgress() {
    thread_.request_stop();
    thread_.join();
    log_live("");
}

void BenchProgress::update(double done, const std::string& what) {
    const MutexLock lock(mutex_);
    done_ = std::clamp(done, 0.0, 1.0);
    what_ = what;
}

void BenchProgress::statistics() {
    const MutexLock lock(mutex_);
    log_always(text());
}

void BenchProgress::hide(bool hidden) {
    const MutexLock lock(mutex_);
    hidden_ = hidden;
    if (hidden) log_live("");
}

void BenchProgress::run(const std::stop_token& stop) {
    auto next_line = started_ + kTimeBetweenBenchLines;
    const MutexLock lock(mutex_);
    while (!stop.stop_requested()) {
        wake_.wait_for(mutex_, stop, kBenchTick, [] { return false; });
        if (quiet_ || stop.stop_requested()) continue;
        if (terminal_) {
            if (!hidden_) log_live(fmt::format("{} {}", bar(done_), text()));
        } else if (Clock::now() >= next_line) {
            next_line = Clock::now() + kTimeBetweenBenchLines;
            log_info(text());
        }
    }
}

std::string BenchProgress::text() const {
    const double seconds = seconds_since(started_);
    constexpr double kEnough = 0.02;  // of the whole, to say how long the rest takes
    const std::string left =
        done_ > kEnough ? fmt::format(", about {} left", duration_text(seconds * (1 - done_) / done_)) : "";
    return fmt::format("{:3.0f} %{}: {}", 100 * done_, left, what_);
}

}  // namespace gpuminer
