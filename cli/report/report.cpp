#include "cli/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/cycle_counter_text.hpp"
#include "host/block/algorithm.hpp"
#include "host/text/document.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "host/text/table.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;

bool any_cycles(const SearchReport& report) {
    for (const DeviceReport& device : report.devices) {
        if (!device.cycles.empty()) return true;
    }
    return false;
}

/// Whether cycles were to be expected: a CPU worked, but there is no counter.
bool counter_missing(const SearchReport& report) {
    if (report.counter_hz > 0 || any_cycles(report)) return false;
    for (const DeviceReport& device : report.devices) {
        if (device.info.is_cpu()) return true;
    }
    return false;
}

const char* ending_text(Ending ending) {
    switch (ending) {
        case Ending::kFinished: return "the whole range was searched";
        case Ending::kLimit: return "stopped by the limit before the range was finished";
        case Ending::kInterrupted: return "interrupted before the range was finished";
        case Ending::kFailed: return "devices failed before the range was finished";
    }
    return "";
}

/// How a list of hits ends. Once one is cut, what lies above its last hit is not searched any more.
std::string list_ending_text(const SearchReport& report) {
    if (!report.truncated) return ending_text(report.ending);
    const std::string text = "truncated at --max-results; there are more";
    return report.ending == Ending::kFinished ? "the lowest of the range, " + text
                                              : text + "; " + ending_text(report.ending);
}

// ----- text -----

void write_hits(Output& output, const SearchRequest& request, const SearchReport& report) {
    if (report.hits.empty()) {
        const std::string advice = report.ending == Ending::kFinished ? "; " + what_to_change(request) : "";
        output.write(fmt::format("nothing found: {}{}\n", ending_text(report.ending), advice));
    } else if (request.goal != Goal::kAll) {
        const Hit& hit = report.hits.front();
        output.write(
            fmt::format("found nonce {} (0x{:08x})\nversion     {} (0x{:08x})\nhash        {}\nheader      {}\n",
                        hit.nonce, hit.nonce, hit.version, hit.version, hit.hash.hex(), hit.header.hex()));
    } else {
        output.write(fmt::format("{:>10}  {:8}  {:64}  {}\n", "nonce", "version", "hash", "header"));
        for (const Hit& hit : report.hits) {
            output.write(
                fmt::format("{:>10}  {:08x}  {}  {}\n", hit.nonce, hit.version, hit.hash.hex(), hit.header.hex()));
        }
        output.write(fmt::format("{} found; {}\n", grouped(report.hits.size()), list_ending_text(report)));
    }
}

/// What the clock covers. It runs from the search's start to the last device's end; CPU devices are open by then, and
/// others are opened meanwhile.
const char* covered_text(const SearchReport& report) {
    const auto is_cpu = [](const DeviceReport& device) { return device.info.is_cpu(); };
    return std::ranges::all_of(report.devices, is_cpu)
               ? "covers self-tests and the search, not input and opening devices"
               : "covers opening GPUs, self-tests, search; not input and opening CPUs";
}

void write_times(Output& output, const SearchReport& report) {
    constexpr double kShortWait = 0.1;  // seconds; not worth a line
    const double rate = rate_of(static_cast<double>(report.hashes), report.seconds);
    output.write(fmt::format("\ntotal time  {:.3f} s, {} hashes, {}\nclock       {}\n", report.seconds,
                             grouped(report.hashes), rate_text(rate), covered_text(report)));
    if (report.hashes_before > 0)
        output.write(fmt::format("resumed     {} hashes done earlier\n", grouped(report.hashes_before)));
    if (report.input_wait.value_or(0) > kShortWait)
        output.write(fmt::format("input       waited {:.3f} s for standard input (not counted)\n", *report.input_wait));
}

/// Ranges and cycles are for who works on kernels, and do not fit into 80 columns.
void write_table(Output& output, const SearchReport& report, bool detailed) {
    const std::string per_hash = std::string(" ") + kCycleCounter.per_hash;
    Table table{{"device", "hashes", "time", "rate"}, {}};
    if (detailed) {
        table.headings.insert(table.headings.begin() + 1, "range");
        std::ranges::move(std::vector{"avg" + per_hash, "max" + per_hash, "min" + per_hash,
                                      std::string("total ") + kCycleCounter.short_units},
                          std::back_inserter(table.headings));
    }
    for (const DeviceReport& device : table_lines(report.devices, detailed)) {
        const double rate = rate_of(static_cast<double>(device.hashes), device.seconds);
        std::vector<std::string> cells{device.info.name, grouped(device.hashes),
                                       fmt::format("{:.3f} s", device.seconds), rate_text(rate)};
        if (detailed) {
            cells.insert(cells.begin() + 1, fmt::format("{:08X}–{:08X}", device.start, device.end));
            std::ranges::move(cycle_cells(device.cycles), std::back_inserter(cells));
        }
        table.rows.push_back(std::move(cells));
    }
    output.write("\n" + aligned_text(table, {.columns = output.columns()}));
}

// ----- sensors -----

bool computes_on_cpu(const DeviceReport& device) { return device.info.is_cpu() || device.info.software; }

DeviceUsage usage_of(const DeviceReport& device, const SensorReport& sensors) {
    const auto found = sensors.devices.find(name_in_table(device));
    return found != sensors.devices.end() ? found->second : DeviceUsage{};
}

std::optional<double> joules_per_gh(std::optional<double> joules, std::uint64_t hashes) {
    if (!joules || hashes == 0) return std::nullopt;
    return *joules / (static_cast<double>(hashes) / 1e9);
}

std::optional<double> cpu_joules_per_gh(const SearchReport& report, const SensorReport& sensors) {
    std::uint64_t hashes = 0;
    for (const DeviceReport& device : report.devices) {
        if (computes_on_cpu(device)) hashes += device.hashes;
    }
    return joules_per_gh(sensors.cpu_energy_j, hashes);
}

std::optional<double> max_cpu_temperature(const SearchReport& report, const SensorReport& sensors) {
    std::optional<double> highest;
    for (const DeviceReport& device : report.devices) {
        const auto its = computes_on_cpu(device) ? usage_of(device, sensors).max_temperature_c : std::nullopt;
        if (its) highest = std::max(highest.value_or(*its), *its);
    }
    return highest;
}

/// Three digits or more: "0.0612", "61.2", "3,312".
std::string figure(double value) {
    return value < 999.5 ? fmt::format("{:.3g}", value) : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

/// ", 61.2 J/GH"; nothing where nothing is known.
template <class Value>
std::string item(const char* before, const std::optional<Value>& value, const char* unit) {
    return value ? fmt::format(", {}{} {}", before, figure(*value), unit) : "";
}

/// ", 61.2 J, 300 W on average"; empty where nothing is known.
std::string usage_text(const DeviceUsage& usage, std::uint64_t hashes) {
    return item("", usage.energy_j, "J") + item("", usage.power_w, "W on average") +
           item("limit ", usage.power_limit_w, "W") + item("", joules_per_gh(usage.energy_j, hashes), "J/GH") +
           item("at most ", usage.max_temperature_c, "°C") + item("core at ", usage.core_clock_mhz, "MHz") +
           item("memory at ", usage.memory_clock_mhz, "MHz") + item("fan at ", usage.fan_percent, "%");
}

// ----- JSON -----

void add_usage(Json& json, const DeviceUsage& usage, std::uint64_t hashes) {
    json["power_w"] = or_null(usage.power_w);
    json["power_limit_w"] = or_null(usage.power_limit_w);
    json["energy_j"] = or_null(usage.energy_j);
    json["joules_per_gh"] = or_null(joules_per_gh(usage.energy_j, hashes));
    json["core_clock_mhz"] = or_null(usage.core_clock_mhz);
    json["memory_clock_mhz"] = or_null(usage.memory_clock_mhz);
    json["fan_percent"] = or_null(usage.fan_percent);
}

Json cycles_json(const CycleStats& cycles) {
    if (cycles.empty()) return nullptr;
    return {{"avg", cycles.avg_per_hash()}, {"min", cycles.min_per_hash}, {"max", cycles.max_per_hash}};
}

/// Everything but the hits, of which there may be a million.
Json summary_json(const SearchRequest& request, const SearchReport& report, const SensorReport& sensors) {
    Json json{{"algorithm", request.header.algorithm->name},
              {"range", {{"start", request.start}, {"end", request.end}}},
              {"target", request.target.hex()},
              {"hashes", report.hashes},
              {"resumed_hashes", report.hashes_before},
              {"seconds", report.seconds},
              {"input_wait_seconds", or_null(report.input_wait)},
              {"hash_rate", rate_of(static_cast<double>(report.hashes), report.seconds)},
              {"rejected_candidates", report.rejected_candidates},
              {"ending", ending_name(report.ending)},
              {"truncated", report.truncated},
              {"partition", request.partition == PartitionMode::kStatic ? "static" : "dynamic"},
              {"rolled_versions", hex8(request.version_mask)},
              {"tsc_hz", report.counter_hz > 0 ? Json(report.counter_hz) : Json(nullptr)},
              {"cycle_unit", kCycleCounter.units},
              {"cpu_package_energy_j", or_null(sensors.cpu_energy_j)},
              {"cpu_package_joules_per_gh", or_null(cpu_joules_per_gh(report, sensors))}};
    if (counter_missing(report)) json["note"] = not_counted_text(kCycleCounter);
    if (!report.ranks.empty()) json["ranks"] = ranks_json(report.ranks);
    json["devices"] = Json::array();
    for (const DeviceReport& device : report.devices) json["devices"].push_back(device_json(device, sensors, true));
    return json;
}

template <class Write>
void write_document(const Write& write, const SearchRequest& request, const SearchReport& report,
                    const SensorReport& sensors, bool one_line) {
    std::string head = json_text(document_head("mine"));
    head.back() = ',';  // goes on in the same object
    const char* const line_end = one_line ? "" : "\n";
    write(fmt::format("{}{}\"found\":{},{}\"results\":[", head, line_end, !report.hits.empty(), line_end));
    const char* separator = line_end;
    for (const Hit& hit : report.hits) {  // by hand: there may be a million, and nothing in them needs escaping
        write(fmt::format(R"({}{{"nonce":{},"version":{},"hash":"{}","header":"{}"}})", separator, hit.nonce,
                          hit.version, hit.hash.hex(), hit.header.hex()));
        separator = one_line ? "," : ",\n";
    }
    write("]," + std::string(line_end) + json_text(summary_json(request, report, sensors)).substr(1));
}

}  // namespace

const char* ending_name(Ending ending) {
    switch (ending) {
        case Ending::kFinished: return "finished";
        case Ending::kLimit: return "limit";
        case Ending::kInterrupted: return "interrupted";
        case Ending::kFailed: return "failed";
    }
    return "";
}

void write_sensors(Output& output, const SearchReport& report, const SensorReport& sensors) {
    for (const DeviceReport& device : report.devices) {
        if (computes_on_cpu(device)) continue;
        const std::string text = usage_text(usage_of(device, sensors), device.hashes);
        if (!text.empty()) output.write(fmt::format("{}: {}\n", name_in_table(device), text.substr(2)));
    }
    std::string text = item("at most ", max_cpu_temperature(report, sensors), "°C");
    if (sensors.cpu_energy_j)
        text += item("", sensors.cpu_energy_j, "J") + item("", sensors.cpu_power_w, "W on average") +
                item("", cpu_joules_per_gh(report, sensors), "J/GH") + ", for everything that runs on them";
    if (!text.empty()) output.write(fmt::format("CPU packages: {}\n", text.substr(2)));
}

Json device_json(const DeviceReport& device, const SensorReport& sensors, bool ranges) {
    Json json{{"name", device.info.name},   {"backend", device.info.backend},
              {"model", device.info.model}, {"hashes", device.hashes},
              {"seconds", device.seconds},  {"hash_rate", rate_of(static_cast<double>(device.hashes), device.seconds)}};
    if (!device.info.code.empty()) json["code"] = device.info.code;
    if (ranges) {
        json["start"] = device.start;
        json["end"] = device.end;
    }
    json["cycles_per_hash"] = cycles_json(device.cycles);
    json["cycles_total"] = device.cycles.empty() ? Json(nullptr) : Json(device.cycles.cycles);
    json["wrong_candidates"] = device.wrong_candidates;
    const DeviceUsage usage = usage_of(device, sensors);
    json["temperature_c"] = or_null(usage.max_temperature_c);
    if (!device.info.is_cpu()) add_usage(json, usage, device.hashes);
    if (!device.failure.empty()) json["failure"] = device.failure;
    if (device.rank) json["rank"] = *device.rank;
    return json;
}

void write_search_text(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors, bool detailed) {
    write_hits(output, request, report);
    write_times(output, report);
    if (report.rejected_candidates > 0) {
        output.write(fmt::format("rejected    {} wrong candidates\n", grouped(report.rejected_candidates)));
    }
    if (!report.devices.empty()) write_table(output, report, detailed);
    write_ranks(output, report.ranks);
    for (const DeviceReport& device : report.devices) {
        if (!device.failure.empty())
            output.write(fmt::format("{} was quarantined: {}\n", name_in_table(device), device.failure));
    }
    if (detailed && report.counter_hz > 0 && any_cycles(report)) {
        output.write(counted_text(kCycleCounter, report.counter_hz) + "\n");
    } else if (detailed && counter_missing(report)) {
        output.write(not_counted_text(kCycleCounter) + "\n");
    }
    write_sensors(output, report, sensors);
    output.finish();
}

void write_search_json(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors, bool one_line) {
    write_document([&output](std::string_view text) { output.write(text); }, request, report, sensors, one_line);
    output.write("\n");
    output.finish();
}

std::string search_json(const SearchRequest& request, const SearchReport& report, const SensorReport& sensors,
                        std::size_t most) {
    constexpr std::size_t kBytesOfAHit = 300;  // or a few more
    if (report.hits.size() > most / kBytesOfAHit) return "";
    std::string text;
    write_document([&text](std::string_view part) { text += part; }, request, report, sensors, true);
    return text;
}

Json error_document(const std::string& message, int exit_code) {
    return document("error", {{"error", message}, {"exit_code", exit_code}});
}

std::string error_json(const std::string& message, int exit_code) {
    return json_text(error_document(message, exit_code)) + "\n";
}

}  // namespace gpuminer
