// The commands mine and grind, and the embedded job: a search of one header.
#include "cli/search_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/header_argument.hpp"
#include "cli/report/device_text.hpp"
#include "cli/report/report.hpp"
#include "cli/run/checkpointed_search.hpp"
#include "cli/run/observers.hpp"
#include "cli/run/run.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/progress.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/errors.hpp"
#include "host/search/fleet.hpp"
#include "host/search/search.hpp"

namespace gpuminer {

std::vector<SearchRequest> search_requests(const Options& options, std::optional<double>& input_wait) {
    const auto before = std::chrono::steady_clock::now();
    const std::vector<HeaderInput> headers = read_headers_of(options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
    if (options.header == "-") input_wait = taken.count();
    if (headers.size() > 1 && (options.checkpoint_file || options.resume_file))
        throw InputError(fmt::format("--checkpoint and --resume take one header, got {}", headers.size()));
    std::vector<SearchRequest> requests;
    for (const HeaderInput& input : headers) {
        requests.push_back(options.request);
        requests.back().header = input.header;
        requests.back().target = target_of(options, input);
    }
    return requests;
}

SearchReport report_without_devices(RequestSource& source) {
    WorkResult work = source.result();
    SearchReport report;
    report.hits = std::move(work.hits);
    report.truncated = work.truncated;
    report.hashes_before = source.hashes_before();
    return report;
}

int search_exit_code(const SearchReport& report, int stop_signal) {
    if (report.ending == Ending::kFinished && report.hits.empty()) return kNotFound;
    return exit_code_of(report.ending, stop_signal);
}

namespace {

/// What grind says on standard error in place of a header.
std::string why_not_solved(const SearchRequest& request, const SearchReport& report) {
    switch (report.ending) {
        case Ending::kFinished: return "no nonce of the range meets the target: " + what_to_change(request);
        case Ending::kLimit: return "the limit was reached before a nonce was found";
        case Ending::kInterrupted: return "interrupted before a nonce was found";
        case Ending::kFailed: break;
    }
    return "the devices failed before a nonce was found";
}

void write_grind(const SearchRequest& request, const SearchReport& report) {
    if (report.hits.empty()) return log_error(why_not_solved(request, report));
    Output output;
    output.write(report.hits.front().header.hex() + "\n");
    output.finish();
}

}  // namespace

void report_search(const Options& options, Observers& observers, const SearchRequest& request,
                   const SearchReport& report, const SensorReport& sensors, bool one_line) {
    observers.end([&](std::size_t most) { return search_json(request, report, sensors, most); });
    Output output;
    if (options.events == "-") {  // the last event has it all
    } else if (options.json) {
        write_search_json(output, request, report, sensors, one_line);
    } else if (options.command == Command::kGrind) {
        write_grind(request, report);
    } else {
        write_search_text(output, request, report, sensors, options.log.debug);
    }
    if (report.truncated) log_warning("the list is truncated at --max-results; there are more hits");
    if (request.goal == Goal::kLowest && !report.hits.empty() && report.ending != Ending::kFinished)
        log_warning("not everything below this hit was searched: a lower one is possible");
    if (report.ending == Ending::kFailed && options.command != Command::kGrind) {
        log_error("all devices failed before the work was finished");
    }
}

namespace {

/// The searches of one command: of one header after the other, or of one with a checkpoint.
class HeaderSearches {
public:
    /// `checkpointed`: null without --checkpoint and --resume.
    HeaderSearches(const Options& options, SignalThread& signals, const ProgramSetup& setup, Observers& observers,
                   CheckpointedSearch* checkpointed)
        : options_(options),
          signals_(signals),
          setup_(setup),
          observers_(observers),
          checkpointed_(checkpointed),
          fleet_(built_in_backends(), options.devices, setup.fleet_times) {
        observers_.begin();
        if (checkpointed_ != nullptr) checkpointed_->make_file();
    }

    /// Returns the exit code.
    int run(const std::vector<SearchRequest>& requests, std::optional<double> input_wait) {
        const auto began = std::chrono::steady_clock::now();
        int code = kSuccess;
        for (const SearchRequest& request : requests) {
            signals_.expect_session();
            log_debug(fmt::format("header {}, target {}, nonces {} to {}", request.header.hex(), request.target.hex(),
                                  request.start, request.end));
            auto [report, sensors] = search(request, time_left(options_, began));
            report.input_wait = std::exchange(input_wait, std::nullopt);
            // Measuring takes 10 ms from the program's start, which a signet calibration's 600 grinds should not wait
            // for.
            if (have_cycle_counter() && (options_.json || options_.command != Command::kGrind))
                report.counter_hz = measured_counter_hz();
            report_search(options_, observers_, request, report, sensors, requests.size() > 1);
            const int this_code = search_exit_code(report, signals_.stop_signal());
            if (report.ending != Ending::kFinished) return this_code;
            code = std::max(code, this_code);
        }
        return code;
    }

private:
    std::pair<SearchReport, SensorReport> search(const SearchRequest& request, std::optional<double> time_limit) {
        Search search(checkpointed_ != nullptr ? checkpointed_->source() : std::make_shared<RequestSource>(request),
                      fleet_);
        std::vector<DeviceInfo> ready = fleet_.ready();
        const std::string greeting = greeted_ ? "" : fmt::format("gpuminer {}: {}", kVersion, count_devices(ready));
        greeted_ = true;
        Run run(options_, setup_, signals_, observers_,
                {.search = search,
                 .ready = std::move(ready),
                 .text = [&request](const SearchProgress& now, double rate,
                                    const net::WorkStatus&) { return progress_text(now, rate, request); },
                 .time_limit = time_limit});
        run.begin(greeting);  // who reads this line may send signals and rely on a summary
        if (options_.command != Command::kGrind && !options_.resume_file) log_info(expectation_text(request));
        if (checkpointed_ != nullptr) {
            const auto say = [&](Severity severity, const std::string& text) { run.say(severity, text); };
            if (const std::string text = checkpointed_->beginning_text(); !text.empty()) say(run.of_beginning(), text);
            checkpointed_->begin(say, setup_.checkpoint_times);
        }
        SearchReport report = search.run([&](const DeviceInfo& info) { run.joined(info); });
        if (checkpointed_ != nullptr) {
            if (const std::string failure = checkpointed_->finish(); !failure.empty()) log_error(failure);
        }
        return {std::move(report), run.finish()};
    }

    const Options& options_;
    SignalThread& signals_;
    const ProgramSetup& setup_;
    Observers& observers_;
    CheckpointedSearch* const checkpointed_;
    Fleet fleet_;
    bool greeted_ = false;
};

}  // namespace

int run_search(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    std::optional<double> input_wait;
    const std::vector<SearchRequest> requests =
        search_requests(options, input_wait);  // a signal just ends it while it waits
    const std::unique_ptr<CheckpointedSearch> checkpointed = CheckpointedSearch::prepare(options, requests.front());
    if (checkpointed != nullptr && checkpointed->source()->finished()) {
        Options without_view = options;  // there is nothing to be shown
        without_view.view = {};
        Observers observers(without_view);
        observers.begin();
        const SearchReport report = report_without_devices(*checkpointed->source());
        checkpointed->make_file();
        log_debug(checkpointed->beginning_text());
        report_search(options, observers, requests.front(), report, {}, false);
        return search_exit_code(report, signals.stop_signal());
    }
    Observers observers(options);
    const bool waits_for_drivers = !options.devices.devices.empty();  // to find those that are named
    if (!waits_for_drivers) signals.expect_session();
    const int code = HeaderSearches(options, signals, setup, observers, checkpointed.get()).run(requests, input_wait);
    observers.finish(signals.stop_signal() != 0);
    return code;
}

}  // namespace gpuminer
