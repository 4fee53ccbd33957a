#include "cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "cli/terminal/logging.hpp"
#include "host/block/checker.hpp"
#include "host/block/hash256.hpp"
#include "host/text/format.hpp"
#include "web/idle.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressTick{250};  // also the longest that a message waits
constexpr double kRateWindow = 3;           // seconds over which the shown rate is smoothed

std::chrono::steady_clock::duration clock_duration(double seconds) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

void log(const Notice& notice) {
    switch (notice.severity) {
        case Severity::kDebug: return log_debug(notice.text);
        case Severity::kInfo: return log_info(notice.text);
        case Severity::kSuccess: return log_success(notice.text);
        case Severity::kWarning: return log_warning(notice.text);
        case Severity::kRefusal: return log_refusal(notice.text);
    }
}

}  // namespace

std::string expectation_text(const SearchRequest& request) {
    const std::uint64_t nonces = std::uint64_t{request.end} - request.start + 1;
    const std::uint64_t hashes = nonces << std::popcount(request.version_mask);
    const std::uint32_t own = request.header.nonce();
    const bool solved =
        own >= request.start && own <= request.end && check(request.header, request.target).verdict == Verdict::hit;
    if (solved) return "this header is solved: its own nonce is a hit in the range";
    return fmt::format("{} of a hit in {} hash{}",
                       chance_text(static_cast<double>(hashes) / expected_hashes(request.target)), grouped(hashes),
                       hashes == 1 ? "" : "es");
}

std::string progress_text(const SearchProgress& progress, double recent_rate, const SearchRequest& request) {
    if (progress.waiting && !progress.paused && !progress.devices_paused) return "waiting for devices";
    const auto done = static_cast<double>(progress.hashes_before + progress.hashes_done);
    const auto total = static_cast<double>(progress.hashes_total);
    const double share = total > 0 ? 100 * done / total : 100;
    const double hashes_left = std::max(0.0, total - done);
    const bool ends_with_a_hit = request.goal != Goal::kAll;
    const auto time_left = [&] {
        return fmt::format(", {}{} left", ends_with_a_hit ? "at most " : "", duration_text(hashes_left / recent_rate));
    };
    const std::string rest = progress.on_battery       ? ", paused on battery"
                             : progress.paused         ? ", paused"
                             : progress.devices_paused ? ", every device is paused"
                             : recent_rate > 0         ? time_left()
                                                       : "";
    const std::string chance =
        ends_with_a_hit ? ", " + chance_text(hashes_left / expected_hashes(request.target)) + " of a hit" : "";
    return fmt::format("{}, {:.1f} % of the range{}{}", rate_text(recent_rate), share, rest, chance);
}

ProgressThread::ProgressThread(SearchControl& search, const ProgressOptions& options)
    : search_(search),
      options_(options),
      next_line_(started_ + (options.terminal ? clock_duration(options.first_after) + kProgressTick
                                              : clock_duration(options.interval))),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ProgressThread::~ProgressThread() {
    thread_.request_stop();
    thread_.join();
    log_live("");
    print_notices();
}

void ProgressThread::request_statistics() {
    const MutexLock lock(mutex_);
    statistics_requested_ = true;
    wake_.notify_one();
}

void ProgressThread::pause_or_resume() {
    const MutexLock lock(mutex_);
    pause(!paused_, fmt::format("paused; {} resumes", options_.resumed_by));
}

void ProgressThread::set_paused(bool paused, const char* words) {
    const MutexLock lock(mutex_);
    pause(paused, words != nullptr ? words : fmt::format("paused; {} resumes", options_.resumed_by));
}

void ProgressThread::pause(bool paused, std::string words) {
    paused_ = paused;
    pause_words_ = std::move(words);
    search_.set_paused(paused_, PauseReason::kUser);
    wake_.notify_one();
}

void ProgressThread::run(const std::stop_token& stop) {
    const auto limit = options_.time_limit ? started_ + clock_duration(*options_.time_limit) : Clock::time_point::max();
    const auto requested = [this]() GPUMINER_REQUIRES(mutex_) {
        return statistics_requested_ || paused_ != pause_reported_;
    };
    while (!stop.stop_requested()) {
        const auto until =
            Clock::now() < limit ? std::min(limit, Clock::now() + kProgressTick) : Clock::now() + kProgressTick;
        MutexLock lock(mutex_);
        wake_.wait_until(mutex_, stop, until, requested);
        const bool statistics = std::exchange(statistics_requested_, false);
        const bool paused = paused_;
        const std::string pause_words = pause_words_;
        lock.unlock();
        if (Clock::now() >= limit) search_.stop(Ending::kLimit);
        report_pause(paused, pause_words);
        update(statistics);
    }
}

void ProgressThread::report_pause(bool paused, const std::string& words) {
    if (paused == pause_reported_) return;
    print_notices();
    if (!options_.quiet) log_info(paused ? words : "resumed");
    pause_reported_ = paused;
}

void ProgressThread::update(bool statistics) {
    look_at_battery();
    const SearchProgress progress = search_.progress();
    measure_rate(progress);
    print_notices();
    if (statistics) {
        const double average = rate_of(static_cast<double>(progress.hashes_done), progress.seconds);
        log_always(fmt::format("{}; {} hashes in {:.1f} s, {} on average", text_of(progress),
                               grouped(progress.hashes_done), progress.seconds, rate_text(average)));
        if (options_.rates) log_always(options_.rates());
    }
    const auto now = Clock::now();
    if (options_.on_second && now >= next_second_) {
        next_second_ = now + std::chrono::seconds(1);
        options_.on_second(progress, recent_rate_);
    }
    if (!options_.quiet && now >= next_line_) show_line(now, progress);
}

void ProgressThread::look_at_battery() {
    constexpr std::chrono::seconds kBetween{5};
    if (!options_.on_battery || Clock::now() < next_look_at_battery_) return;
    next_look_at_battery_ = Clock::now() + kBetween;
    if (options_.on_battery() == on_battery_) return;
    on_battery_ = !on_battery_;
    search_.set_paused(on_battery_, PauseReason::kBattery);
    if (!options_.quiet) log_info(on_battery_ ? "paused: this machine runs on battery" : "back on mains power");
}

std::string ProgressThread::text_of(const SearchProgress& progress) const {
    return options_.text(progress, recent_rate_);
}

void ProgressThread::show_line(Clock::time_point now, const SearchProgress& progress) {
    if (options_.terminal) {
        next_line_ = now + kProgressTick;
        log_live(options_.live_text ? options_.live_text(progress, recent_rate_) : text_of(progress));
    } else {
        next_line_ = now + clock_duration(options_.interval);
        log_status(text_of(progress));
        if (options_.rates) log_status(options_.rates());
    }
}

void ProgressThread::print_notices() {
    for (const std::vector<Notice>& notices : {notices_.take(), search_.take_notices()}) {
        for (const Notice& notice : notices) {
            log(notice);
            if (options_.on_notice) options_.on_notice(notice);
        }
    }
}

void ProgressThread::measure_rate(const SearchProgress& progress) {
    if (options_.idle ? options_.idle(progress) : !web::why_idle(progress, nullptr).empty()) {
        recent_rate_ = 0;
        measured_from_ = progress.seconds;
        last_ = progress;
        return;
    }
    const double elapsed = progress.seconds - last_.seconds;
    if (elapsed < 0.05) return;  // too short to say anything
    const double rate = rate_of(static_cast<double>(progress.hashes_done - last_.hashes_done), elapsed);
    // A plain mean at first, then a sliding one. (After a stop of the process more than the window has elapsed.)
    const double weight = std::min(1.0, elapsed / std::min(progress.seconds - measured_from_, kRateWindow));
    recent_rate_ += weight * (rate - recent_rate_);
    last_ = progress;
}

}  // namespace gpuminer
