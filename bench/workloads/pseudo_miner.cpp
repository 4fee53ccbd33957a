#include "bench/workloads/pseudo_miner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/workloads/against.hpp"
#include "bench/workloads/interruptions.hpp"
#include "bench/workloads/known_hits.hpp"
#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/workload.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/cycle_counter_text.hpp"
#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

Rows prepare_pseudo_miner(const Setting& setting);

namespace {

constexpr std::uint64_t kWholeRange = std::uint64_t{1} << 32;

/// Published with the experiment, for an Intel Core i5-7600K.
struct Published {
    const char* system;
    unsigned seconds;
    unsigned cycles_per_hash;  ///< on average
};
constexpr Published kPublished[] = {
    {"i5-7600K, its author's own kernel, first", 285, 2989},
    {"i5-7600K, its author's own kernel, second", 251, 2520},
    {"i5-7600K, Linux", 261, 2678},
};

std::uint64_t nonces_of(const SearchRequest& request) { return std::uint64_t{request.end} - request.start + 1; }

double rate(const SearchReport& report) { return rate_of(static_cast<double>(report.hashes), report.seconds); }

double whole_range_seconds(const SearchReport& report) {
    return report.seconds / static_cast<double>(report.hashes) * static_cast<double>(kWholeRange);
}

CycleStats all_cycles(const SearchReport& report) {
    CycleStats all;
    for (const DeviceReport& device : report.devices) all.merge(device.cycles);
    return all;
}

Json thread_json(const DeviceReport& device) {
    const CycleStats& cycles = device.cycles;
    const bool counted = !cycles.empty();
    return {{"name", device.info.name},
            {"start", device.start},
            {"end", device.end},
            {"hashes", device.hashes},
            {"seconds", device.seconds},
            {"avg", counted ? Json(cycles.avg_per_hash()) : Json(nullptr)},
            {"max", counted ? Json(cycles.max_per_hash) : Json(nullptr)},
            {"min", counted ? Json(cycles.min_per_hash) : Json(nullptr)},
            {"cycles", counted ? Json(cycles.cycles) : Json(nullptr)}};
}

// ----- text -----

std::string table_of_threads(const SearchReport& report, std::size_t columns, const CycleCounterWords& counter) {
    const std::string per_hash = std::string(" ") + counter.per_hash;
    Table table{{"thread", "range", "time", "avg" + per_hash, "max" + per_hash, "min" + per_hash,
                 std::string("total ") + counter.short_units},
                {}};
    for (const DeviceReport& device : report.devices) {
        std::vector<std::string> cells{device.info.name, fmt::format("{:08X}–{:08X}", device.start, device.end),
                                       fmt::format("{:.3f} s", device.seconds)};
        std::ranges::move(cycle_cells(device.cycles), std::back_inserter(cells));
        table.rows.push_back(std::move(cells));
    }
    return aligned_text(table, {.columns = columns});
}

/// Ours beside the published figures: times alone where we count no cycles.
std::string comparison(const SearchRequest& request, const SearchReport& report, const CycleCounterWords& counter) {
    const bool counts_cycles = std::string_view(counter.short_units) == "cycles";
    const auto line = [&](std::string_view who, const std::string& seconds, const std::string& cycles) {
        return fmt::format("{:42}  {:>12}", who, seconds) +
               (counts_cycles ? fmt::format("  {:>15}\n", cycles) : std::string("\n"));
    };
    const CycleStats cycles = all_cycles(report);
    const bool whole = nonces_of(request) == kWholeRange;
    std::string text = line("", "total time", "cycles per hash");
    text += line(whole ? "this machine" : fmt::format("this machine, {} nonces only", grouped(nonces_of(request))),
                 fmt::format("{:.3f} s", report.seconds),
                 cycles.empty() ? "-" : fmt::format("{:.2f}", cycles.avg_per_hash()));
    for (const Published& published : kPublished)
        text += line(published.system, fmt::format("{} s", published.seconds), grouped(published.cycles_per_hash));
    if (!whole) {
        text += fmt::format(
            "Published for the whole 32-bit range; at this rate the whole 2^32 range would take {:.3f} s here.\n",
            whole_range_seconds(report));
    }
    if (!counts_cycles) return text + "The published figures are as their author gave them.\n";
    // 285 s × 4 cores × 3.8 GHz / 2^32
    text +=
        "The published figures are as their author gave them. Four cores whose counters run at 3.8 GHz count 1,009\n";
    return text +
           "cycles per hash when 2^32 hashes take 285 s: either those times or those cycles are of something else.\n";
}

std::vector<std::uint32_t> found_nonces(const SearchReport& report) {
    std::vector<std::uint32_t> nonces;
    for (const Hit& hit : report.hits) nonces.push_back(hit.nonce);
    return nonces;
}

std::string found_text(const SearchReport& report) {
    const std::vector<std::uint32_t> nonces = found_nonces(report);
    if (nonces.empty()) return "nothing found";
    return fmt::format("{} found: {}{}", grouped(nonces.size()), nonces.front(), nonces.size() > 1 ? ", …" : "");
}

// ----- the search -----

/// Starts the threads and runs their self-tests before the clock starts.
void prove(Fleet& fleet, SearchRequest request) {
    request.start = request.end = 0;
    for (const DeviceReport& device : Search(request, fleet).run().devices) {
        if (!device.failure.empty()) throw VerificationError(fmt::format("{}: {}", device.info.name, device.failure));
    }
}

SearchReport search(Fleet& fleet, const SearchRequest& request, const Setting& setting) {
    Search search(request, fleet);
    const std::stop_callback stopping(setting.stop, [&search] { search.stop(Ending::kInterrupted); });
    const std::jthread telling([&](const std::stop_token& over) {
        while (setting.round_progress && !over.stop_requested()) {
            const SearchProgress progress = search.progress();
            setting.round_progress(static_cast<double>(progress.hashes_done) /
                                   static_cast<double>(progress.hashes_total));
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    });
    SearchReport report = search.run();
    if (report.ending == Ending::kInterrupted) throw Interrupted{};
    if (have_cycle_counter()) report.counter_hz = measured_counter_hz();
    return report;
}

/// Leaves as many nonces, a power of two, as several rounds of the budget (--quick, --for) have room for.
void shorten(Fleet& fleet, SearchRequest& request, const Setting& setting) {
    constexpr std::uint64_t kFirstTry = 1 << 12;
    constexpr double kSure = 0.1;  // seconds that a rate takes to be worth something
    constexpr double kRounds = 4;  // three are the fewest
    if (!setting.options.budget) return;
    const double share = *setting.options.budget / static_cast<double>(setting.options.workloads.size());
    const std::uint64_t all = nonces_of(request);
    SearchRequest part = request;
    prove(fleet, request);
    for (std::uint64_t count = kFirstTry; count < all; count *= 4) {
        part.end = static_cast<std::uint32_t>(request.start + count - 1);
        const SearchReport report = search(fleet, part, setting);
        if (report.seconds < kSure) continue;
        const double fitting = std::min(rate(report) * share / kRounds, static_cast<double>(all));
        const std::uint64_t rounded = std::bit_floor(static_cast<std::uint64_t>(fitting));
        if (rounded >= all || fitting >= static_cast<double>(all)) return;
        request.end = static_cast<std::uint32_t>(request.start + std::max(rounded, std::uint64_t{1}) - 1);
        return setting.note(fmt::format("pseudo-miner: {} of {} nonces are searched, as many as fit into the time",
                                        grouped(nonces_of(request)), grouped(all)));
    }
}

std::vector<std::shared_ptr<Device>> cpu_threads(OpenDevices& devices) {
    std::vector<std::shared_ptr<Device>> threads;
    std::ranges::copy_if(devices.all(), std::back_inserter(threads),
                         [](const auto& device) { return device->info().is_cpu(); });
    if (threads.empty()) throw NoDeviceError("pseudo-miner measures CPU threads, but none is selected");
    return threads;
}

/// Threads that search together, and what interrupts them.
struct Searchers {
    explicit Searchers(const std::vector<std::shared_ptr<Device>>& threads) {
        for (const auto& thread : threads) noting.push_back(std::make_shared<NotingDevice>(thread));
        subject = make_subject("CPU threads", {noting.begin(), noting.end()});
    }

    NotingDevices noting;
    Subject subject;
    // Of the latest round.
    SearchReport report;
    Interruptions::Rows interruptions{};
};

SearchRequest request_of(const Options& options) {
    SearchRequest request = options.search;
    if (options.against) {
        request.header = options.against->header;
        request.target = options.against->target;
        request.start = options.against->start;
        request.end = options.against->end;
    }
    request.version_mask = 0;
    request.partition = PartitionMode::kStatic;
    request.goal = Goal::kAll;
    return request;
}

}  // namespace

Json pseudo_miner_details(const SearchRequest& request, const SearchReport& report) {
    const CycleStats cycles = all_cycles(report);
    Json details{{"nonces", nonces_of(request)},
                 {"hits", report.hits.size()},
                 {"hashes_per_second", rate(report)},
                 {"whole_range_seconds", whole_range_seconds(report)},
                 {"cycles_per_hash", cycles.empty() ? Json(nullptr) : Json(cycles.avg_per_hash())},
                 {"counter_hz", report.counter_hz > 0 ? Json(report.counter_hz) : Json(nullptr)}};
    if (cycles.empty()) details["note"] = not_counted_text(kCycleCounter);
    details["published"] = Json::array();
    for (const Published& published : kPublished) {
        details["published"].push_back({{"system", published.system},
                                        {"seconds", published.seconds},
                                        {"cycles_per_hash", published.cycles_per_hash}});
    }
    details["threads"] = Json::array();
    for (const DeviceReport& device : report.devices) details["threads"].push_back(thread_json(device));
    return details;
}

std::string pseudo_miner_text(const SearchRequest& request, const SearchReport& report, std::size_t columns,
                              const CycleCounterWords& counter) {
    const std::string counted =
        all_cycles(report).empty() ? not_counted_text(counter) : counted_text(counter, report.counter_hz);
    return fmt::format(
        "total time  {:.3f} s, {} hashes, {}; {}\n"
        "clock       covers the search, not self-tests and opening devices\n\n{}{}\n\n{}",
        report.seconds, grouped(report.hashes), rate_text(rate(report)), found_text(report),
        table_of_threads(report, columns, counter), counted, comparison(request, report, counter));
}

void verify_pseudo_miner(const SearchRequest& request, const SearchReport& report) {
    if (report.truncated) {
        throw InputError(fmt::format("expected a target that at most {} nonces meet, but this one has more hits",
                                     grouped(request.max_results)));
    }
    for (const DeviceReport& device : report.devices) {
        if (!device.failure.empty()) throw VerificationError(fmt::format("{}: {}", device.info.name, device.failure));
        if (device.wrong_candidates > 0)
            throw VerificationError(
                fmt::format("{} returned {} wrong candidates", device.info.name, device.wrong_candidates));
    }
    const std::uint64_t nonces = nonces_of(request);
    if (report.hashes != nonces)
        throw VerificationError(fmt::format("{} hashes were computed of a range of {}", report.hashes, nonces));

    const std::vector<std::uint32_t> found = found_nonces(report);
    const auto require = [&](const BlockHeader& solution) {
        const bool in_range = solution.nonce() >= request.start && solution.nonce() <= request.end;
        if (!in_range || check(solution, request.target).verdict != Verdict::hit) return false;
        if (std::ranges::find(found, solution.nonce()) != found.end()) return true;
        throw VerificationError(fmt::format("nonce {} was missed", solution.nonce()));
    };
    (void)require(request.header);
    // The list is complete for its range and targets up to its own.
    const KnownSearch known = known_searches(*request.header.algorithm).front();
    if (request.header.with_nonce(0) != known.header.with_nonce(0) || request.target > known.target) return;
    if (request.start < known.range.first || request.end - known.range.first >= known.range.count) return;
    std::size_t expected = 0;
    for (const KnownHit& hit : known.hits({request.start, nonces})) {
        if (require(known.header.with_nonce(hit.nonce))) ++expected;
    }
    if (found.size() != expected)
        throw VerificationError(fmt::format("{} nonces were found where {} solve the block", found.size(), expected));
}

Rows prepare_pseudo_miner(const Setting& setting) {
    const std::optional<BareMetalReport>& against = setting.options.against;
    const DeviceOptions& options = setting.options.devices.options;
    const auto all =
        std::make_shared<Searchers>(against ? threads_like(*against, options) : cpu_threads(setting.devices));
    SearchRequest request = request_of(setting.options);
    if (!against) shorten(*all->subject.fleet, request, setting);
    Rows rows;
    rows.rows.push_back(
        {"total time", fmt::format("s per search of {} nonces", grouped(nonces_of(request))), Better::kLower,
         [=, &setting](double /*seconds*/) {
             prove(*all->subject.fleet, request);
             begin_interruptions(all->noting);
             all->report = search(*all->subject.fleet, request, setting);
             all->interruptions = take_interruptions(all->noting);
             verify_pseudo_miner(request, all->report);
             return all->report.seconds;
         },
         [=] {
             Json details = pseudo_miner_details(request, all->report);
             if (have_cycle_counter()) details["interruptions"] = interruptions_json(all->interruptions);
             if (!against) return details;
             details["against"] = against_details(*against, all->report, options);
             if (against->interruptions)
                 details["against"]["bare_metal"]["interruptions"] = interruptions_json(*against->interruptions);
             return details;
         }});
    rows.text = [=](std::size_t columns) {
        std::string text = pseudo_miner_text(request, all->report, columns);
        if (against) text += "\n" + against_text(*against, all->report, options, columns);
        if (!have_cycle_counter()) return text;
        return text + "\n" +
               interruptions_text(all->interruptions, against ? against->interruptions : std::nullopt, columns);
    };
    rows.job = {{"header", request.header.hex()},
                {"target", request.target.hex()},
                {"start", request.start},
                {"end", request.end}};
    return rows;
}

}  // namespace gpuminer::bench
