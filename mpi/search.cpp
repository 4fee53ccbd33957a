#include "mpi/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/run/checkpointed_search.hpp"
#include "cli/run/observers.hpp"
#include "cli/run/run.hpp"
#include "cli/search_command.hpp"
#include "cli/terminal/progress.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/errors.hpp"
#include "mpi/agreement.hpp"
#include "mpi/coordinator.hpp"
#include "mpi/loops.hpp"
#include "mpi/rank_part.hpp"
#include "mpi/report.hpp"
#include "mpi/search_ledger.hpp"

namespace gpuminer::mpi {
namespace {

/// Where the user names devices, opening them waits for drivers, and a signal just ends it.
void expect_session(const Options& options, SignalThread& signals) {
    if (options.devices.devices.empty()) signals.expect_session();
}

/// The start of a search of which nothing is left.
const std::string kIsOver = "over";

double counter_hz() { return have_cycle_counter() ? measured_counter_hz() : 0; }

/// Hits are rank 0's alone: others need the bound that they set.
RankStart start_with(const SearchRequest& request, const SearchRecord& record) {
    RankStart start{request, record, SearchLedger(request, record).bound()};
    start.record.hits.clear();
    return start;
}

/// Rank 0's side of one search after another.
class Leader {
public:
    Leader(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup)
        : communicator_(communicator),
          options_(options),
          signals_(signals),
          setup_(setup),
          requests_(search_requests(options, input_wait_)),
          checkpointed_(CheckpointedSearch::prepare(options, requests_.front())),
          observers_(options) {}

    /// Nothing of it is left to search.
    [[nodiscard]] bool is_over() const { return checkpointed_ && checkpointed_->source()->finished(); }

    /// Devices, and the checkpoint's file. Returns the first search's start, as bytes.
    [[nodiscard]] std::string prepare() {
        if (!is_over()) devices_ = open_devices(communicator_, options_, setup_);
        observers_.begin();
        if (checkpointed_) checkpointed_->make_file();
        return is_over() ? kIsOver : to_bytes(start_with(requests_.front(), record_of(requests_.front())));
    }

    /// Of what is over before it begins. Returns the exit code.
    int report_over() {
        SearchReport report = report_without_devices(*checkpointed_->source());
        report.ranks = add_up(gather_idle_reports(communicator_)).search.ranks;
        report_search(options_, observers_, requests_.front(), report, {}, false);
        return search_exit_code(report, 0);
    }

    /// The others are told of each search but the first, and then that there is no other. Returns the exit code.
    int run() {
        try {
            return run_all();
        } catch (...) {  // between two searches
            (void)communicator_.broadcast("");
            throw;
        }
    }

private:
    [[nodiscard]] SearchRecord record_of(const SearchRequest& request) const {
        return checkpointed_ ? checkpointed_->source()->record() : RequestSource(request, SearchRecord{}).record();
    }

    int run_all() {
        const auto began = std::chrono::steady_clock::now();
        int code = kSuccess;
        for (const SearchRequest& request : requests_) {
            const RankStart start = start_with(request, record_of(request));
            signals_.expect_session();
            if (&request != &requests_.front()) {
                communicator_.reset_counter();
                (void)communicator_.broadcast(to_bytes(start));
            }
            CommonReport report;
            or_end_the_job(communicator_, [&] {
                report = search(request, start, time_left(options_, began));
                return kSuccess;
            });
            report.search.input_wait = std::exchange(input_wait_, std::nullopt);
            if (report.search.ending == Ending::kFailed && !no_device_.empty()) throw NoDeviceError(no_device_);
            report_search(options_, observers_, request, report.search, report.sensors, requests_.size() > 1);
            code = std::max(code, search_exit_code(report.search, stop_signal_));
            // In all that is collective they would be waited for.
            if (!silent_.empty()) return leave_out(&requests_.back() - &request, code);
            if (report.search.ending != Ending::kFinished) break;
        }
        (void)communicator_.broadcast("");
        return code;
    }

    /// Ranks that stand still.
    void go_on_without(const std::string& ranks) {
        silent_ = ranks;
        communicator_.give_up_on_others();
        log_error(fmt::format("{} did not respond for {} s: the job ends, and unreported work counts as not searched",
                              ranks, Communicator::kPatience.count()));
    }

    /// Headers after the last one that was searched. Returns the exit code, which was that of the others.
    static int leave_out(std::ptrdiff_t headers, int code) {
        if (headers == 0) return code;
        log_error(headers == 1 ? "1 header was not searched" : fmt::format("{} headers were not searched", headers));
        return std::max<int>(code, kUnfinished);
    }

    CommonReport search(const SearchRequest& request, const RankStart& start, std::optional<double> time_limit) {
        SearchLedger ledger(request, record_of(request));
        const std::uint64_t hashes_before = ledger.done() * ledger.group_size();
        CommonSearch common(ledger.positions() * ledger.group_size(), hashes_before);
        const bool is_static = request.partition == PartitionMode::kStatic;
        Coordinator coordinator(
            ledger, static_cast<unsigned>(communicator_.size()),
            is_static ? [this](std::uint64_t count) { return communicator_.take(count); } : Coordinator::Take());
        Run run(options_, setup_, signals_, observers_,
                {.search = common,
                 .ready = {},
                 .text = [&request](const SearchProgress& now, double rate,
                                    const net::WorkStatus&) { return progress_text(now, rate, request); },
                 .sensors = false,
                 .time_limit = time_limit});
        begin(run, ledger);
        RankPart part(communicator_, *devices_, start, options_, setup_);
        try {
            const bool ended =
                lead(communicator_, part.worker(), coordinator,
                     {.wish = [&common] { return common.wish(); },
                      .heard =
                          [&] {
                              if (coordinator.stop_signal() != 0) common.stop(Ending::kInterrupted);
                              common.update(coordinator.hashes(), coordinator.best(), coordinator.take_notices());
                          },
                      .report = [&part] { return part.report(counter_hz()); }});
            if (!ended) go_on_without(coordinator.silent_ranks());
        } catch (...) {
            if (checkpointed_) (void)checkpointed_->finish();  // it writes what the ledger has, which is about to go
            throw;
        }
        const double seconds = common.seconds();
        if (checkpointed_) {
            if (const std::string failure = checkpointed_->finish(); !failure.empty()) log_error(failure);
        }
        CommonReport report = add_up(coordinator.reports());
        WorkResult work = ledger.result();
        report.search.hits = std::move(work.hits);
        report.search.truncated = work.truncated;
        report.search.ending = work.finished ? Ending::kFinished : common.stop_reason().value_or(Ending::kFailed);
        report.search.hashes_before = hashes_before;
        report.search.seconds = seconds;
        no_device_ = coordinator.no_device();
        stop_signal_ = signals_.stop_signal() != 0 ? signals_.stop_signal() : coordinator.stop_signal();
        return report;
    }

    void begin(Run& run, const SearchLedger& ledger) {
        run.begin(std::exchange(greeted_, true)
                      ? ""
                      : fmt::format("gpuminer-mpi {}: {} ranks", kVersion, communicator_.size()));
        if (!checkpointed_) return;
        const auto say = [&run](Severity severity, const std::string& text) { run.say(severity, text); };
        if (const std::string text = checkpointed_->beginning_text(); !text.empty()) say(run.of_beginning(), text);
        checkpointed_->begin(say, setup_.checkpoint_times, [&ledger] { return ledger.record(); });
    }

    Communicator& communicator_;
    const Options& options_;
    SignalThread& signals_;
    const ProgramSetup& setup_;
    std::optional<double> input_wait_;  ///< before what sets it
    const std::vector<SearchRequest> requests_;
    const std::unique_ptr<CheckpointedSearch> checkpointed_;  ///< null: no checkpoint file
    Observers observers_;
    std::unique_ptr<RankDevices> devices_;
    bool greeted_ = false;
    // Of the latest search:
    std::string no_device_;  ///< why no rank has ever had one; empty: one had
    std::string silent_;     ///< ranks that have not ended with it; empty: none
    int stop_signal_ = 0;
};

}  // namespace

int lead_searches(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup,
                  const std::function<void()>& begin) {
    Leader leader(communicator, options, signals, setup);  // a signal just ends it while it waits for standard input
    expect_session(options, signals);
    const bool over = leader.is_over();
    const std::string start = leader.prepare();
    signals.expect_session();
    (void)begin_together(communicator, options, begin, start);
    return over ? leader.report_over() : leader.run();
}

void follow_searches(Communicator& communicator, const Options& options, SignalThread& signals,
                     const ProgramSetup& setup, const std::function<void()>& begin) {
    expect_session(options, signals);
    const std::unique_ptr<RankDevices> devices = open_devices(communicator, options, setup);
    signals.expect_session();
    std::string next = begin_together(communicator, options, begin, "");
    if (next == kIsOver) {
        (void)gather_idle_reports(communicator);
        return;
    }
    or_end_the_job(communicator, [&]() -> int {
        for (; !next.empty(); next = communicator.broadcast("")) {
            const SignalThread::Session session(signals, {.stop = [] {}, .statistics = {}, .pause_or_resume = {}});
            RankPart part(communicator, *devices, start_of(next, *options.devices.algorithm), options, setup);
            follow(
                communicator, part.worker(), [&signals] { return signals.stop_signal(); },
                [&part] { return part.report(0); });
        }
        return kSuccess;
    });
}

}  // namespace gpuminer::mpi
