// The thread that watches a search: progress line, messages for the user, time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/search_control.hpp"

namespace gpuminer {

struct ProgressOptions {
    bool quiet = false;
    bool terminal = false;   ///< standard error is one: a live line; otherwise a line now and then
    double interval = 60;    ///< seconds between lines where it is none
    double first_after = 0;  ///< seconds without a line on a terminal, for what is usually over by then
    std::function<std::string(const SearchProgress&, double recent_rate)> text;  ///< the line
    /// What a terminal shows: lines, which '\n' divides; empty: `text`.
    std::function<std::string(const SearchProgress&, double recent_rate)> live_text = {};
    /// Another line beside `text` where there is no terminal, and in statistics; empty: none.
    std::function<std::string()> rates = {};
    /// Whether nothing is searched; then the rate is 0. Empty: as far as the progress says.
    std::function<bool(const SearchProgress&)> idle = {};
    std::string resumed_by = "SIGUSR2";                 ///< after a pause
    std::function<void(const Notice&)> on_notice = {};  ///< each message, when it is logged
    std::function<void(const SearchProgress&, double recent_rate)> on_second = {};
    std::function<bool()> on_battery = {};  ///< asked now and then: whether to pause for that; empty: never
    std::optional<double> time_limit = {};  ///< seconds; then the search is stopped with Ending::kLimit
};

/// Of a search of one header, before it begins: "63 % chance of a hit in 4,294,967,296 hashes"; another sentence where
/// the header's own nonce is in the range, and is a hit.
[[nodiscard]] std::string expectation_text(const SearchRequest& request);

/// Of a search of one header: "39.80 MH/s, 12.3 % of the range, at most 1 min 34 s left, 63 % chance of a hit". The
/// chance is that of a hit in what is left.
[[nodiscard]] std::string progress_text(const SearchProgress& progress, double recent_rate,
                                        const SearchRequest& request);

/// Logs from its construction to its destruction; on a terminal with a live line.
class ProgressThread {
public:
    ProgressThread(SearchControl& search, const ProgressOptions& options);
    ~ProgressThread();
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

    // From any thread:
    void request_statistics();
    void pause_or_resume();
    /// `words`: the message of a pause; null: what resumes.
    void set_paused(bool paused, const char* words = nullptr);
    /// Logged by this thread, so that nobody else waits.
    void say(Severity severity, std::string text) { notices_.add(severity, std::move(text)); }

private:
    using Clock = std::chrono::steady_clock;

    void run(const std::stop_token& stop);
    void pause(bool paused, std::string words) GPUMINER_REQUIRES(mutex_);
    void report_pause(bool paused, const std::string& words);
    void update(bool statistics);
    [[nodiscard]] std::string text_of(const SearchProgress& progress) const;
    void show_line(Clock::time_point now, const SearchProgress& progress);
    void print_notices();
    void measure_rate(const SearchProgress& progress);
    void look_at_battery();

    SearchControl& search_;
    const ProgressOptions options_;
    const Clock::time_point started_ = Clock::now();
    Notices notices_;

    Mutex mutex_;
    Condition wake_;
    bool statistics_requested_ GPUMINER_GUARDED_BY(mutex_) = false;
    bool paused_ GPUMINER_GUARDED_BY(mutex_) = false;
    std::string pause_words_ GPUMINER_GUARDED_BY(mutex_);

    // Used by the thread alone.
    bool pause_reported_ = false;
    Clock::time_point next_line_, next_second_ = started_, next_look_at_battery_ = started_;
    bool on_battery_ = false;
    SearchProgress last_;
    double measured_from_ = 0;  // seconds of the search: since then devices are at work
    double recent_rate_ = 0;    // hashes per second over the last few seconds

    std::jthread thread_;
};

}  // namespace gpuminer
