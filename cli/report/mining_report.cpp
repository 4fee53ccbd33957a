#include "cli/report/mining_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/report/report.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "host/block/algorithm.hpp"
#include "host/block/hash256.hpp"
#include "host/text/document.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "web/idle.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;
using net::WorkStatus;

double average_rate(const SearchReport& search) { return rate_of(static_cast<double>(search.hashes), search.seconds); }

/// What the accepted shares imply.
double share_rate(const WorkStatus& status, double seconds) {
    return rate_of(status.accepted_difficulty * kHashesPerDifficulty, seconds);
}

const char* what_is_found(bool solo) { return solo ? "block" : "share"; }

std::string expectation(double recent_rate, const WorkStatus& status, bool solo) {
    if (recent_rate < 1) return "";  // nothing is searched at the moment
    const double seconds = rate_of(status.difficulty * kHashesPerDifficulty, recent_rate);
    if (seconds <= 0) return "";
    return fmt::format(", a {} every {} on average", what_is_found(solo), duration_text(seconds));
}

}  // namespace

std::string mining_progress_text(const SearchProgress& progress, double recent_rate, const WorkStatus& status,
                                 bool solo) {
    if (progress.waiting && !progress.paused && !progress.devices_paused) return "waiting for devices";
    std::string counts = fmt::format("accepted {}, rejected {}, stale {}", grouped(status.accepted),
                                     grouped(status.rejected), grouped(status.stale));
    if (status.unanswered > 0) counts += fmt::format(", {} without an answer", grouped(status.unanswered));
    if (progress.paused) return fmt::format("paused{}, {}", progress.on_battery ? " on battery" : "", counts);
    if (progress.devices_paused) return fmt::format("every device is paused, {}", counts);
    if (status.logged_in && !status.connected)
        return fmt::format("logged in, {}, {}", web::why_idle(progress, &status), counts);
    if (!status.connected) return fmt::format("no work from {}, {}", solo ? "a node" : "a pool", counts);
    const double by_shares = solo ? 0 : share_rate(status, progress.seconds);
    return fmt::format("{}{}, {}{}", rate_text(recent_rate),
                       by_shares > 0 ? fmt::format(" ({} by shares)", rate_text(by_shares)) : "", counts,
                       expectation(recent_rate, status, solo));
}

std::string speed_text(const web::RateWindow& rates) {
    constexpr struct {
        double unit;
        const char* name;
    } kUnits[] = {{1e12, "TH/s"}, {1e9, "GH/s"}, {1e6, "MH/s"}, {1e3, "kH/s"}, {1, "H/s"}};
    const std::array all = {rates.rate(10), rates.rate(60), rates.rate(900)};
    double highest = 0;
    for (const auto& rate : all) highest = std::max(highest, rate.value_or(0));
    const auto* unit = std::begin(kUnits);
    while (unit->unit > 1 && highest < unit->unit) ++unit;
    std::string text = "speed 10s/60s/15m";
    for (const auto& rate : all) text += rate ? fmt::format(" {:.1f}", *rate / unit->unit) : " n/a";
    return fmt::format("{} {}", text, unit->name);
}

std::string shares_text(const WorkStatus& status, const SearchProgress& progress) {
    std::string text = fmt::format("accepted {}, rejected {}, stale {}", grouped(status.accepted),
                                   grouped(status.rejected), grouped(status.stale));
    for (const auto& [reason, count] : status.reject_reasons) text += fmt::format(", {} × {}", grouped(count), reason);
    if (progress.best) text += ", best difficulty " + difficulty_text(difficulty_of(*progress.best));
    return text;
}

std::string connection_text(const WorkStatus& status) {
    if (status.server.empty()) return "no server yet";
    std::string text = fmt::format("{} {}", status.server, status.connected ? "gives work" : "gives no work");
    if (status.latency_ms) text += fmt::format(", answers after {:.0f} ms (median)", *status.latency_ms);
    if (status.difficulty > 0) text += ", difficulty " + difficulty_text(status.difficulty);
    return text;
}

namespace {

void write_finds(Output& output, const MiningReport& report) {
    const WorkStatus& status = report.status;
    output.write(fmt::format("{:11} {} accepted, {} rejected, {} stale", report.solo ? "blocks" : "shares",
                             grouped(status.accepted), grouped(status.rejected), grouped(status.stale)));
    if (status.unanswered > 0) output.write(fmt::format(", {} without an answer", grouped(status.unanswered)));
    output.write("\n");
    for (const auto& [reason, count] : status.reject_reasons)
        output.write(fmt::format("            {} × {}\n", grouped(count), reason));
    if (!report.solo) {
        output.write(fmt::format("blocks      {}\n", grouped(status.blocks)));
        if (status.accepted > 0) {
            output.write(fmt::format("share rate  {}, implied by {} of total difficulty {}\n",
                                     rate_text(share_rate(status, report.search.seconds)),
                                     status.accepted == 1 ? "1 share" : grouped(status.accepted) + " shares",
                                     difficulty_text(status.accepted_difficulty)));
        }
    }
    if (report.search.best)
        output.write(fmt::format("best hash   difficulty {}\n", difficulty_text(difficulty_of(*report.search.best))));
    if (status.latency_ms) output.write(fmt::format("replies     after {:.1f} ms (median)\n", *status.latency_ms));
}

void write_devices(Output& output, const SearchReport& search, bool each_device) {
    std::size_t width = std::string_view("device").size();
    const std::vector<DeviceReport> lines = table_lines(search.devices, each_device);
    for (const DeviceReport& device : lines) width = std::max(width, device.info.name.size());
    output.write(fmt::format("\n{:{}}  {:>19}  {:>12}  {:>12}\n", "device", width, "hashes", "at work", "rate"));
    for (const DeviceReport& device : lines) {
        const double rate = rate_of(static_cast<double>(device.hashes), device.seconds);
        output.write(fmt::format("{:{}}  {:>19}  {:>10.3f} s  {:>12}\n", device.info.name, width,
                                 grouped(device.hashes), device.seconds, rate_text(rate)));
    }
    for (const DeviceReport& device : search.devices) {
        if (!device.failure.empty())
            output.write(fmt::format("{} was quarantined: {}\n", device.info.name, device.failure));
    }
}

}  // namespace

void write_mining_text(Output& output, const MiningReport& report) {
    const SearchReport& search = report.search;
    output.write(fmt::format("server      {}\ntotal time  {:.3f} s, {} hashes, {}\n",
                             report.status.server.empty() ? "none" : report.status.server, search.seconds,
                             grouped(search.hashes), rate_text(average_rate(search))));
    write_finds(output, report);
    write_devices(output, search, report.each_device);
    write_sensors(output, search, report.sensors);
    output.finish();
}

Json mining_json(const MiningReport& report) {
    const WorkStatus& status = report.status;
    const SearchReport& search = report.search;
    Json json{{"algorithm", report.algorithm->name},
              {"accepted", status.accepted},
              {"rejected", status.rejected},
              {"stale", status.stale},
              {"unanswered", status.unanswered},
              {"blocks", status.blocks},
              {"hashes", search.hashes},
              {"seconds", search.seconds},
              {"hash_rate", average_rate(search)}};
    if (!report.solo) json["share_rate"] = share_rate(status, search.seconds);
    json["accepted_difficulty"] = status.accepted_difficulty;
    json["difficulty"] = status.difficulty;
    json["network_difficulty"] = status.network_difficulty;
    json["best_difficulty"] = search.best ? difficulty_of(*search.best) : 0;
    json["latency_ms"] = status.latency_ms ? Json(*status.latency_ms) : Json(nullptr);
    json["reject_reasons"] = status.reject_reasons;
    json["server"] = status.server;
    json["rejected_candidates"] = search.rejected_candidates;
    json["ending"] = ending_name(search.ending);
    json["tsc_hz"] = search.counter_hz > 0 ? Json(search.counter_hz) : Json(nullptr);
    json["cycle_unit"] = kCycleCounter.units;
    json["details"] = Json(*status.details);
    json["devices"] = Json::array();
    for (const DeviceReport& device : search.devices)
        json["devices"].push_back(device_json(device, report.sensors, false));
    return document(report.solo ? "solo" : "pool", json);
}

}  // namespace gpuminer
