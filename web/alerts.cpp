#include "web/alerts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::web {
namespace {

constexpr double kNoHash = 60, kNoServer = 5 * 60;  // seconds
// Records come one upon the other in a run's first minute.
constexpr double kBeforeBest = 60, kBetweenBests = 60;

}  // namespace

const char* name_of(Alert::Kind kind) {
    switch (kind) {
        case Alert::Kind::kBlock: return "block";
        case Alert::Kind::kBest: return "best";
        case Alert::Kind::kStall: return "stall";
        case Alert::Kind::kDeviceError: return "device-error";
        case Alert::Kind::kHot: break;
    }
    return "hot";
}

std::string alert_json(const Alert& alert, const std::string& host) {
    nlohmann::ordered_json json{{"event", name_of(alert.kind)}};
    for (const char* name : {"text", "content", "body"})
        json[name] = fmt::format("gpuminer on {}: {}", printable(host), alert.text);
    json["msgtype"] = "m.text";
    json["host"] = host;
    for (const auto& [name, value] : alert.facts) json[name] = value;
    return json_text(json);
}

std::vector<Alert> AlertWatch::observe(const RunSample& sample, double seconds) {
    if (!started_) started_ = hashed_at_ = connected_at_ = seconds;
    std::vector<Alert> alerts;
    look_for_stall(sample, seconds, alerts);
    look_for_failures(sample, alerts);
    look_for_best(sample, seconds, alerts);
    return alerts;
}

void AlertWatch::look_for_stall(const RunSample& sample, double seconds, std::vector<Alert>& alerts) {
    const bool connected = !has_server_ || sample.status.connected;
    if (connected) connected_at_ = seconds;
    // Who has no work, or is paused as a whole or device by device, is not expected to hash.
    const auto is_paused = [](const DeviceStatus& device) { return device.paused_by_user || device.paused_for_heat; };
    const bool paused =
        sample.progress.paused || (!sample.devices.empty() && std::ranges::all_of(sample.devices, is_paused));
    if (sample.progress.hashes_done != hashes_ || paused || !connected) hashed_at_ = seconds;
    hashes_ = sample.progress.hashes_done;
    const auto tell = [&](bool& told, bool is_so, const std::string& reason) {
        if (is_so && !told)
            alerts.push_back({Alert::Kind::kStall, reason, {{"reason", reason}, {"server", sample.status.server}}});
        told = is_so;
    };
    tell(stalled_, seconds - hashed_at_ >= kNoHash, fmt::format("no hash for {}", duration_text(kNoHash)));
    tell(disconnected_, seconds - connected_at_ >= kNoServer,
         fmt::format("no work from a server for {}", duration_text(kNoServer)));
}

void AlertWatch::look_for_failures(const RunSample& sample, std::vector<Alert>& alerts) {
    for (const DeviceStatus& device : sample.devices) {
        const DeviceReport& report = device.report;
        if (report.failure.empty() || !failed_.insert(report.info.name).second) continue;
        const std::string reason = printable(report.failure);
        alerts.push_back({Alert::Kind::kDeviceError,
                          fmt::format("{} was quarantined: {}", report.info.name, reason),
                          {{"device", report.info.name}, {"reason", reason}}});
    }
}

void AlertWatch::look_for_best(const RunSample& sample, double seconds, std::vector<Alert>& alerts) {
    const double best = sample.progress.best ? difficulty_of(*sample.progress.best) : 0;
    const bool too_soon =
        seconds - *started_ < kBeforeBest || (best_told_at_ && seconds - *best_told_at_ < kBetweenBests);
    if (best <= best_ || too_soon) return;
    best_ = best;
    best_told_at_ = seconds;
    alerts.push_back({Alert::Kind::kBest,
                      fmt::format("best hash so far: difficulty {}", difficulty_text(best)),
                      {{"difficulty", fmt::format("{}", best)}, {"hash", sample.progress.best->hex()}}});
}

std::optional<Alert> AlertWatch::answered(const net::AnsweredFind& find) {
    if (!find.is_block || find.verdict != "accepted") return std::nullopt;
    const std::string server = printable(find.server);
    return Alert{Alert::Kind::kBlock,
                 fmt::format("a block: {} has accepted {}", server, find.hash),
                 {{"hash", find.hash}, {"difficulty", fmt::format("{}", find.difficulty)}, {"server", server}}};
}

Alert AlertWatch::hot(const HotDevice& paused) {
    return {Alert::Kind::kHot,
            paused.text,
            {{"device", paused.device}, {"temperature_c", fmt::format("{}", paused.temperature_c)}}};
}

}  // namespace gpuminer::web
