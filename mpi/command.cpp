#include "mpi/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/header_argument.hpp"
#include "cli/kept_search.hpp"
#include "cli/progress.hpp"
#include "cli/search_command.hpp"
#include "cpu/cycle_counter.hpp"
#include "cpu/topology.hpp"
#include "gpuminer_build_info.hpp"
#include "host/errors.hpp"
#include "mpi/common_search.hpp"
#include "mpi/coordinator.hpp"
#include "mpi/loops.hpp"
#include "mpi/rank_worker.hpp"
#include "mpi/search_ledger.hpp"
#include "mpi/verify.hpp"

namespace gpuminer::mpi {

Agreement agree(Communicator& communicator, int code, const std::string& start) {
    const std::vector<std::string> codes = communicator.gather(code != 0 ? "failed" : "");
    std::string answer = "0";
    if (communicator.is_first()) {
        const bool failed = std::ranges::any_of(codes, [](const std::string& of_rank) { return !of_rank.empty(); });
        answer = !codes.front().empty() ? "2" : failed ? "1" : "0";
    }
    answer = communicator.broadcast(answer + start);
    const bool failed = answer.front() != '0';
    return {.first_failed = answer.front() == '2', .failed = failed, .start = failed ? "" : answer.substr(1)};
}

namespace {

constexpr const char* kRankCannot = "a rank cannot begin; its message says why";

/// CPU threads are divided among the ranks of a machine, unless they are bound to parts of it, or the user says more.
DeviceSelection share_of(DeviceSelection selection, const Communicator& communicator) {
    DeviceOptions& device = selection.options;
    if (communicator.local_size() == 1 || device.threads || !device.cpu_affinity.empty()) return selection;
    const auto ranks = static_cast<std::size_t>(communicator.local_size());
    const std::size_t usable = cpu::usable_hardware_threads().size();
    const auto online = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    if (usable * ranks > online) device.threads = static_cast<unsigned>(std::max<std::size_t>(1, usable / ranks));
    return selection;
}

/// What each rank has while it searches.
struct Part {
    Part(Communicator& given, const RankStart& start, const Options& options, const ProgramSetup& setup)
        : communicator(given),
          search(start.request, start.record.group_size,
                 [&] {
                     return std::make_unique<Fleet>(built_in_backends(), share_of(options.devices, given),
                                                    setup.fleet_times);
                 }),
          worker(search, start, static_cast<unsigned>(given.size()),
                 [&given](std::uint64_t count) { return given.take(count); }) {}

    /// Collective, once all have ended.
    [[nodiscard]] std::vector<std::string> gather_reports(double counter_hz) const {
        RankReport report{static_cast<unsigned>(communicator.rank()), communicator.host(), worker.report()};
        report.search.counter_hz = counter_hz;
        return communicator.gather(to_bytes(report));
    }

    Communicator& communicator;
    RankSearch search;
    RankWorker worker;
};

double counter_hz() { return have_cycle_counter() ? measured_counter_hz() : 0; }

// ----- rank 0 -----

/// What rank 0 knows before the others do.
struct Prepared {
    SearchRequest request;
    std::unique_ptr<KeptSearch> kept;  ///< null: it is kept in no file
    SearchRecord record;
    std::optional<double> input_wait;
};

void refuse_what_is_not_there(const Options& options) {
    const Command command = options.command.value_or(Command::kMine);
    if (command != Command::kMine && command != Command::kGrind && command != Command::kVerify)
        throw InputError("gpuminer-mpi: expected the command mine, grind or verify; the others are gpuminer's");
    if (options.view.any()) throw InputError("gpuminer-mpi: --http, --on-… and --webhook are gpuminer's alone");
    if (options.temperature_limits) throw InputError("gpuminer-mpi: --max-temp is gpuminer's alone");
    if (options.request.partition == PartitionMode::kStatic)
        throw InputError("gpuminer-mpi: expected --partition dynamic, got static");
}

Prepared prepare(const Options& options) {
    Prepared prepared;
    std::vector<SearchRequest> requests = search_requests(options, prepared.input_wait);
    if (requests.size() > 1)
        throw InputError(fmt::format("gpuminer-mpi: expected one header, got {}", requests.size()));
    prepared.request = requests.front();
    prepared.kept = KeptSearch::prepare(options, prepared.request);
    prepared.record =
        prepared.kept ? prepared.kept->source()->record() : RequestSource(prepared.request, SearchRecord{}).record();
    return prepared;
}

/// Reports what is over before it begins: the exit code. Empty: it is not, and the checkpoint's file is there.
std::optional<int> report_if_over(Prepared& prepared, const Options& options, const SignalThread& signals) {
    if (!prepared.kept) return std::nullopt;
    if (!prepared.kept->source()->finished()) {
        prepared.kept->make_file();
        return std::nullopt;
    }
    const SearchReport report = report_without_devices(*prepared.kept->source());
    write_search_report(options, prepared.request, report, {}, false);
    return search_exit_code(report, signals);
}

/// Hits are rank 0's alone: others need the bound that they set.
RankStart beginning_of(const Prepared& prepared) {
    RankStart start{prepared.request, prepared.record, SearchLedger(prepared.request, prepared.record).bound()};
    start.record.hits.clear();
    return start;
}

SearchReport common_report(const std::vector<std::string>& reports, SearchLedger& ledger, const CommonSearch& common,
                           std::uint64_t hashes_before, double seconds) {
    SearchReport all;
    WorkResult work = ledger.result();
    all.hits = std::move(work.hits);
    all.truncated = work.truncated;
    all.ending = work.finished ? Ending::kFinished : common.stop_reason().value_or(Ending::kFailed);
    all.hashes_before = hashes_before;
    all.seconds = seconds;
    for (const std::string& bytes : reports) {
        RankReport report = report_of(bytes);
        SearchReport& search = report.search;
        all.hashes += search.hashes;
        all.rejected_candidates += search.rejected_candidates;
        if (search.best && (!all.best || *search.best < *all.best)) all.best = search.best;
        if (report.rank == 0) all.counter_hz = search.counter_hz;
        all.ranks.push_back({report.rank, report.host, search.devices.size(), search.hashes, search.seconds});
        for (DeviceReport& device : search.devices) {
            device.rank = report.rank;
            all.devices.push_back(std::move(device));
        }
    }
    return all;
}

int run_first(Communicator& communicator, Prepared& prepared, const RankStart& start, const Options& options,
              SignalThread& signals, const ProgramSetup& setup) {
    SearchLedger ledger(prepared.request, prepared.record);
    const std::uint64_t group_size = ledger.group_size();
    const std::uint64_t hashes_before = ledger.done() * group_size;
    CommonSearch common(ledger.positions() * group_size, hashes_before);
    Coordinator coordinator(ledger, static_cast<unsigned>(communicator.size()));
    SearchReport report;
    {
        ProgressThread progress(
            common,
            {.quiet = options.log.quiet,
             .terminal = options.terminal,
             .interval = options.status_interval,
             .text = [&](const SearchProgress& now, double rate) { return progress_text(now, rate, prepared.request); },
             .on_battery = battery_watch(options, setup),
             .time_limit = options.time_limit});
        const SignalThread::Session session(signals, {.stop = [&] { common.stop(Ending::kInterrupted); },
                                                      .statistics = [&] { progress.request_statistics(); },
                                                      .pause_or_resume = [&] { progress.pause_or_resume(); }});
        const Severity of_beginning = options.command == Command::kGrind ? Severity::kDebug : Severity::kInfo;
        progress.say(of_beginning, fmt::format("gpuminer-mpi {}: {} ranks", kVersion, communicator.size()));
        const auto say = [&](Severity severity, const std::string& text) { progress.say(severity, text); };
        if (prepared.kept) {
            if (const std::string text = prepared.kept->beginning_text(); !text.empty()) say(of_beginning, text);
            prepared.kept->begin(say, setup.checkpoint_times, [&ledger] { return ledger.record(); });
        }
        Part part(communicator, start, options, setup);
        lead(
            communicator, part.worker, coordinator, [&common] { return common.wish(); },
            [&] {
                if (coordinator.told_to_stop()) common.stop(Ending::kInterrupted);
                common.update(coordinator.hashes(), coordinator.best(), coordinator.take_notices());
            });
        const double seconds = common.seconds();
        if (prepared.kept) {
            if (const std::string failure = prepared.kept->finish(); !failure.empty()) log_error(failure);
        }
        report = common_report(part.gather_reports(counter_hz()), ledger, common, hashes_before, seconds);
    }
    report.input_wait = prepared.input_wait;
    if (report.ending == Ending::kFailed) {
        if (const std::string reason = coordinator.no_device(); !reason.empty()) throw NoDeviceError(reason);
    }
    write_search_report(options, prepared.request, report, {}, false);
    return search_exit_code(report, signals);
}

// ----- other ranks -----

void run_other(Communicator& communicator, const RankStart& start, const Options& options, SignalThread& signals,
               const ProgramSetup& setup) {
    std::atomic<bool> told_to_stop = false;
    const SignalThread::Session session(
        signals, {.stop = [&] { told_to_stop = true; }, .statistics = {}, .pause_or_resume = {}});
    Part part(communicator, start, options, setup);
    follow(communicator, part.worker, [&told_to_stop] { return told_to_stop.load(); });
    (void)part.gather_reports(0);
}

/// What went wrong with one rank in the middle ends the job: the others would wait for it.
template <class Action>
int or_end_the_job(Communicator& communicator, Action action) {
    try {
        return action();
    } catch (const NoDeviceError&) {
        throw;  // of all ranks, when all have ended
    } catch (const std::exception& error) {
        log_error(fmt::format("rank {}: {}", communicator.rank(), error.what()));
        (void)wait_for_log();
        communicator.abort(kDeviceFailed);
    }
}

int run_verify(Communicator& communicator, const Options& options, const std::function<void()>& begin) {
    std::vector<HeaderInput> headers;
    if (communicator.is_first()) headers = read_headers_of(options);
    begin();
    const Agreement agreement = agree(communicator, kSuccess, "verify");
    if (agreement.failed && communicator.is_first()) throw InputError(kRankCannot);
    if (agreement.failed) return kSuccess;
    return or_end_the_job(communicator, [&]() -> int {
        if (communicator.is_first()) return lead_verify(communicator, options, headers) ? kSuccess : kNotFound;
        follow_verify(communicator, options);
        return kSuccess;
    });
}

int run_search(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup,
               const std::function<void()>& begin) {
    std::optional<Prepared> prepared;
    std::string start;
    std::optional<int> over;  // before it begins
    if (communicator.is_first()) {
        prepared = prepare(options);
        over = report_if_over(*prepared, options, signals);
        if (!over) start = to_bytes(beginning_of(*prepared));
    }
    signals.expect_session();
    begin();
    const Agreement agreement = agree(communicator, kSuccess, start);
    if (agreement.failed && communicator.is_first()) throw InputError(kRankCannot);
    if (agreement.start.empty()) return over.value_or(kSuccess);
    return or_end_the_job(communicator, [&]() -> int {
        const RankStart known = start_of(agreement.start);
        if (communicator.is_first()) return run_first(communicator, *prepared, known, options, signals, setup);
        run_other(communicator, known, options, signals, setup);
        return kSuccess;
    });
}

}  // namespace

int run_in_rank(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup,
                const std::function<void()>& begin) {
    refuse_what_is_not_there(options);
    if (options.command == Command::kVerify) return run_verify(communicator, options, begin);
    return run_search(communicator, options, signals, setup, begin);
}

}  // namespace gpuminer::mpi
