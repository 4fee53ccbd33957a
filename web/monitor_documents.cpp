// The documents of a Monitor.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "gpuminer_build_info.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "host/threads.hpp"
#include "net/transport/url.hpp"
#include "web/monitor.hpp"
#include "web/odds.hpp"

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_time(std::int64_t unix_time) {
    return utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(unix_time))).data();
}

Json positive_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json odds_json(const Odds& odds) {
    return {{"share_seconds", or_null(odds.share_seconds)}, {"block_seconds", or_null(odds.block_seconds)},
            {"block_chance_per_day", odds.block_per_day},   {"block_chance_per_year", odds.block_per_year},
            {"text", text_or_null(odds_text(odds))},        {"warning", text_or_null(odds.warning)}};
}

/// What the server has refused, by its words.
void add_refusals(Json& json, const std::map<std::string, std::uint64_t>& reasons) {
    std::uint64_t sum = 0;
    Json list = Json::array();
    for (const auto& [message, count] : reasons) {
        list.push_back({{"message", printable(message)}, {"count", count}});
        sum += count;
    }
    json["sharesRejected"] = sum;
    json["sharesRejectedReasons"] = std::move(list);
}

/// The pool in use, or else the first one; none of solo and mine.
void add_pool(Json& json, const Json& details) {
    const Json pools = details.is_object() ? details.value("pools", Json()) : Json();
    if (pools.empty()) return;
    const auto in_use = std::ranges::find_if(pools, [](const Json& pool) { return pool.value("active", false); });
    const Json& pool = in_use != pools.end() ? *in_use : pools.front();
    const std::string url = pool.value("url", "");
    const net::UrlParts parts = net::split_url(url);
    json["stratumURL"] = std::string(parts.host);
    if (const auto port = parts.port ? net::parse_port(*parts.port) : std::nullopt) json["stratumPort"] = *port;
    json["stratumUser"] = pool.value("user", "");
}

void add_if_known(Json& json, const char* name, const std::optional<double>& value) {
    if (value) json[name] = *value;
}

}  // namespace

Json Monitor::summary() const {
    const MutexLock lock(mutex_);
    const net::WorkStatus& status = last_.status;
    Json json{{"command", facts_.command},
              {"host", printable(facts_.host)},
              {"uptime_seconds", seconds_since(started_)},
              {"paused", last_.progress.paused},
              {"on_battery", last_.progress.on_battery},
              {"waiting_for_devices", last_.progress.waiting},
              {"idle", text_or_null(std::string(idle()))},
              {"hashes", last_.progress.hashes_done},
              {"hash_rate", last_.hash_rate},
              {"hash_rates", rates_json(rate_)},
              {"best_difficulty", best_now()},
              {"best_difficulty_ever", std::max(best_before_, best_now())},
              {"power_w", or_null(total_power())},
              {"cpu_power_w", or_null(cpu_power_w_)}};
    json["server"] = facts_.has_server ? Json{{"name", text_or_null(status.server)},
                                              {"connected", status.connected},
                                              {"logged_in", status.logged_in || status.connected},
                                              {"latency_ms", or_null(status.latency_ms)}}
                                       : Json(nullptr);
    json["accepted"] = status.accepted;
    json["rejected"] = status.rejected;
    json["stale"] = status.stale;
    json["unanswered"] = status.unanswered;
    json["blocks"] = status.blocks;
    json["accepted_difficulty"] = status.accepted_difficulty;
    json["reject_reasons"] = status.reject_reasons;
    json["last_accepted_seconds"] =
        last_accepted_ && status.accepted > 0 ? Json(seconds_since(*last_accepted_)) : Json(nullptr);
    json["difficulty"] = positive_or_null(status.difficulty);
    json["network_difficulty"] = positive_or_null(status.network_difficulty);
    const bool shares = facts_.command == "pool";
    json["odds"] = odds_json(odds_of(last_.hash_rate, shares ? status.difficulty : 0, status.network_difficulty));
    json["details"] = Json(*status.details);
    return json;
}

Json Monitor::device_json(std::size_t number) const {
    const DeviceStatus& device = last_.devices[number];
    const DeviceReport& report = device.report;
    const DevicePower power = power_of(report.info.name);
    const auto rates = device_rates_.find(report.info.name);
    return {{"number", number},
            {"name", report.info.name},
            {"backend", report.info.backend},
            {"model", printable(report.info.model)},
            {"hashes", report.hashes},
            {"hash_rates", rates_json(rates != device_rates_.end() ? rates->second : RateWindow())},
            {"paused", device.paused_by_user},
            {"too_hot", device.paused_for_heat},
            {"failure", text_or_null(printable(report.failure))},
            {"wrong_candidates", report.wrong_candidates},
            {"temperature_c", or_null(power.celsius)},
            {"power_w", or_null(power.watts)}};
}

Json Monitor::devices() const {
    const MutexLock lock(mutex_);
    Json json{{"devices", Json::array()}};
    for (std::size_t i = 0; i < last_.devices.size(); ++i) json["devices"].push_back(device_json(i));
    return json;
}

std::vector<std::string> Monitor::device_names() const {
    const MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const DeviceStatus& device : last_.devices) names.push_back(device.report.info.name);
    return names;
}

Json Monitor::history() const {
    History copy;
    {
        const MutexLock lock(mutex_);
        copy = history_;
    }
    return {{"hour", history_json(copy.hour)}, {"day", history_json(copy.day)}};
}

Json Monitor::finds_json(const TimedFinds& finds) const {
    Json json = Json::array();
    for (const auto& [time, find] : finds) {
        json.push_back({{"time", text_of_time(time)},
                        {"verdict", find.verdict},
                        {"hash", find.hash},
                        {"difficulty", find.difficulty},
                        {"share_difficulty", find.share_difficulty},
                        {"latency_ms", or_null(find.latency_ms)},
                        {"server", printable(find.server)},
                        {"reason", text_or_null(printable(find.reason))}});
    }
    return json;
}

Json Monitor::shares() const {
    const MutexLock lock(mutex_);
    Json best = best_.json();
    for (Json& share : best) {
        share["time"] = text_of_time(share["time"].get<std::int64_t>());
        share["server"] = printable(share["server"].get<std::string>());
    }
    return {{"shares", finds_json(shares_)}, {"best", std::move(best)}};
}

Json Monitor::blocks() const {
    const MutexLock lock(mutex_);
    return {{"blocks", finds_json(blocks_)}};
}

Json Monitor::job() const {
    const MutexLock lock(mutex_);
    if (!has_job_) return {{"job", nullptr}};
    const Json details = *last_.status.details;
    const auto detail = [&](const char* name) { return details.is_object() ? details.value(name, Json()) : Json(); };
    return {{"job",
             {{"number", jobs_},
              {"age_seconds", seconds_since(job_since_)},
              {"difficulty", job_difficulty_},
              {"network_difficulty", positive_or_null(last_.status.network_difficulty)},
              {"version_mask", hex8(version_mask_)},
              {"chain", detail("chain")},
              {"height", detail("height")},
              {"bip54", detail("bip54")},
              {"transactions", detail("transactions")},
              {"fees_sat", detail("fees_sat")},
              {"pays", detail("coinbase_address")},
              {"payment", detail("payment")}}}};
}

Json Monitor::log() const {
    const MutexLock lock(mutex_);
    Json lines = Json::array();
    for (const Line& line : lines_)
        lines.push_back(
            {{"time", text_of_time(line.time)}, {"severity", severity_name(line.severity)}, {"text", line.text}});
    return {{"log", std::move(lines)}};
}

Json Monitor::axeos_info() const {
    constexpr double kGiga = 1e9;
    const MutexLock lock(mutex_);
    const net::WorkStatus& status = last_.status;
    const auto positive = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
    Json json{{"version", kVersion},
              {"hostname", printable(facts_.host)},
              {"uptimeSeconds", static_cast<std::int64_t>(seconds_since(started_))},
              {"miningPaused", last_.progress.paused},
              {"hashRate", last_.hash_rate / kGiga},
              {"bestDiff", std::max(best_before_, best_now())},
              {"bestSessionDiff", best_now()},
              {"sharesAccepted", status.accepted},
              {"autofanspeed", 1}};  // fans are left to their cards
    add_refusals(json, status.reject_reasons);
    json["blockFound"] = status.blocks;
    add_if_known(json, "poolDifficulty", positive(status.difficulty));
    add_if_known(json, "networkDifficulty", positive(status.network_difficulty));
    add_if_known(json, "responseTime", status.latency_ms);
    add_if_known(json, "temp", hottest());
    add_if_known(json, "power", total_power());
    add_pool(json, Json(*status.details));
    return json;
}

}  // namespace gpuminer::web
