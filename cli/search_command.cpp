// The commands mine and grind, and the embedded job: a search of one header.
#include "cli/search_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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
#include "cli/run/live_view.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/progress.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/clock.hpp"
#include "host/errors.hpp"
#include "host/search/fleet.hpp"
#include "host/search/search.hpp"
#include "host/sensors/sensor_thread.hpp"

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

bool wants_sensors(const Options& options) {
    return options.command != Command::kGrind || options.json || options.temperature_limits;
}

namespace {

/// Null: none.
std::unique_ptr<SensorThread> start_sensors(const Options& options, const ProgramSetup& setup, Search& search,
                                            ProgressThread& progress, LiveView* view) {
    if (!wants_sensors(options)) return nullptr;
    const auto pause = [&](const std::string& device, bool paused) {
        search.pause_device(device, PauseReason::kTemperature, paused);
    };
    const auto say = [&](Severity severity, const std::string& text) { progress.say(severity, text); };
    return std::make_unique<SensorThread>(
        SensorOptions{.limits = options.temperature_limits, .powercap = setup.powercap},
        SensorThread::Actions{.pause = pause, .say = say, .measured = [view](const SensorReport& measured) {
                                  if (view != nullptr) view->measured(measured);
                              }});
}

/// `ready`: the devices that are there from the beginning.
std::pair<SearchReport, SensorReport> search_under_watch(Search& search, const Options& options,
                                                         const ProgramSetup& setup, SignalThread& signals,
                                                         const std::vector<DeviceInfo>& ready,
                                                         const SearchRequest& request, CheckpointedSearch* checkpointed,
                                                         LiveView* view) {
    constexpr double kPatienceOfGrind = 3;  // seconds; shorter searches print no progress, as most callers are scripts
    ProgressThread progress(
        search, {.quiet = options.log.quiet,
                 .terminal = options.terminal,
                 .interval = options.status_interval,
                 .first_after = options.command == Command::kGrind ? kPatienceOfGrind : 0,
                 .text = [&](const SearchProgress& now, double rate) { return progress_text(now, rate, request); },
                 .on_second =
                     [&search, view](const SearchProgress& now, double rate) {
                         if (view != nullptr) view->sample({now, rate, search.devices(), {}});
                     },
                 .on_battery = battery_watch(options, setup),
                 .time_limit = options.time_limit});
    const SignalThread::Session session(signals, {.stop = [&] { search.stop(Ending::kInterrupted); },
                                                  .statistics = [&] { progress.request_statistics(); },
                                                  .pause_or_resume = [&] { progress.pause_or_resume(); }});
    const std::string start_line = fmt::format("gpuminer {}: {}", kVersion, count_devices(ready));
    // Who reads this line may send signals and rely on a summary.
    options.command == Command::kGrind ? log_debug(start_line) : log_info(start_line);
    if (view != nullptr && !view->place().empty()) log_info(fmt::format("shown on {}", view->place()));
    const Severity of_joining = options.command == Command::kGrind ? Severity::kDebug : Severity::kInfo;
    if (checkpointed != nullptr) {
        if (const std::string text = checkpointed->beginning_text(); !text.empty()) progress.say(of_joining, text);
        checkpointed->begin([&](Severity severity, const std::string& text) { progress.say(severity, text); },
                            setup.checkpoint_times);
    }
    const auto sensors = start_sensors(options, setup, search, progress, view);
    const ControlsOffered offered(
        view, {.pause = [&](bool paused) { progress.set_paused(paused); },
               .pause_device = [&](const std::string& device,
                                   bool paused) { search.pause_device(device, PauseReason::kUser, paused); },
               .activate_pool = {}});
    SearchReport report = search.run([&](const DeviceInfo& info) {
        if (sensors) sensors->watch(info);
        if (std::ranges::find(ready, info.name, &DeviceInfo::name) == ready.end())
            progress.say(of_joining, joining_text(info));
    });
    if (checkpointed != nullptr) {
        if (const std::string failure = checkpointed->finish(); !failure.empty()) log_error(failure);
    }
    return {std::move(report), sensors ? sensors->finish() : SensorReport{}};
}

}  // namespace

SearchReport report_without_devices(RequestSource& source) {
    WorkResult work = source.result();
    SearchReport report;
    report.hits = std::move(work.hits);
    report.truncated = work.truncated;
    report.hashes_before = source.hashes_before();
    return report;
}

int search_exit_code(const SearchReport& report, int stop_signal) {
    switch (report.ending) {
        case Ending::kFinished: return report.hits.empty() ? kNotFound : kSuccess;
        case Ending::kLimit: return kUnfinished;
        case Ending::kInterrupted: return kStoppedBySignal + stop_signal;
        case Ending::kFailed: break;
    }
    return kDeviceFailed;
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

void write_search_report(const Options& options, const SearchRequest& request, const SearchReport& report,
                         const SensorReport& sensors, bool one_line) {
    Output output;
    if (options.json) {
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

/// One after the other, or the one with a checkpoint. Returns the exit code.
int search_all(const std::vector<SearchRequest>& requests, std::optional<double> input_wait, const Options& options,
               SignalThread& signals, const ProgramSetup& setup, CheckpointedSearch* checkpointed, LiveView* view) {
    const bool waits_for_drivers = !options.devices.devices.empty();  // to find those that are named
    if (!waits_for_drivers) signals.expect_session();
    Fleet fleet(built_in_backends(), options.devices, setup.fleet_times);
    if (checkpointed != nullptr) checkpointed->make_file();
    const auto start = std::chrono::steady_clock::now();
    Options of_this = options;
    int code = kSuccess;
    for (const SearchRequest& request : requests) {
        signals.expect_session();
        log_debug(fmt::format("header {}, target {}, nonces {} to {}", request.header.hex(), request.target.hex(),
                              request.start, request.end));
        constexpr double kLeast = 1e-3;  // seconds: the limit is that of all searches together
        if (options.time_limit) of_this.time_limit = std::max(*options.time_limit - seconds_since(start), kLeast);
        const std::shared_ptr<RequestSource> source =
            checkpointed != nullptr ? checkpointed->source() : std::make_shared<RequestSource>(request);
        Search search(source, fleet);
        auto [report, sensors] =
            search_under_watch(search, of_this, setup, signals, fleet.ready(), request, checkpointed, view);
        report.input_wait = std::exchange(input_wait, std::nullopt);
        // Measuring takes 10 ms from the program's start, which a signet calibration's 600 grinds should not wait for.
        if (have_cycle_counter() && (options.json || options.command != Command::kGrind))
            report.counter_hz = measured_counter_hz();
        write_search_report(options, request, report, sensors, requests.size() > 1);
        if (report.ending != Ending::kFinished) return search_exit_code(report, signals.stop_signal());
        code = std::max(code, search_exit_code(report, signals.stop_signal()));
    }
    return code;
}

}  // namespace

int run_search(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    std::optional<double> input_wait;
    const std::vector<SearchRequest> requests =
        search_requests(options, input_wait);  // a signal just ends it while it waits
    const std::unique_ptr<CheckpointedSearch> checkpointed = CheckpointedSearch::prepare(options, requests.front());
    if (checkpointed != nullptr && checkpointed->source()->finished()) {
        const SearchReport report = report_without_devices(*checkpointed->source());
        checkpointed->make_file();
        log_debug(checkpointed->beginning_text());
        write_search_report(options, requests.front(), report, {}, false);
        return search_exit_code(report, signals.stop_signal());
    }
    std::optional<LiveView> view;
    if (options.view.any()) view.emplace(options.view, "mine", *options.devices.algorithm);
    const int code =
        search_all(requests, input_wait, options, signals, setup, checkpointed.get(), view ? &*view : nullptr);
    if (view) view->finish(signals.stop_signal() != 0);
    return code;
}

}  // namespace gpuminer
