#include "web/monitor.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "host/block/format.hpp"
#include "host/block/hash256.hpp"
#include "host/block/json_text.hpp"
#include "host/block/text.hpp"
#include "host/clock.hpp"
#include "host/document.hpp"
#include "web/metrics.hpp"
#include "web/odds.hpp"

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShares = 200, kMostBlocks = 100, kMostLines = 100;
constexpr std::size_t kLongestLine = 500;  // characters
constexpr const char* kKeepsakeFormat = "gpuminer history";

std::int64_t unix_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string text_of_time(std::int64_t unix_time) {
    return utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(unix_time))).data();
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json positive_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

float or_nan(const std::optional<double>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
}

template <class Entry>
void add_bounded(std::deque<Entry>& entries, Entry entry, std::size_t most) {
    entries.push_back(std::move(entry));
    if (entries.size() > most) entries.pop_front();
}

Json odds_json(const Odds& odds) {
    return {{"share_seconds", or_null(odds.share_seconds)}, {"block_seconds", or_null(odds.block_seconds)},
            {"block_chance_per_day", odds.block_per_day},   {"block_chance_per_year", odds.block_per_year},
            {"text", text_or_null(odds_text(odds))},        {"warning", text_or_null(odds.warning)}};
}

}  // namespace

Monitor::Monitor(MonitorFacts facts) : facts_(std::move(facts)) {}

// --- what happens ---

void Monitor::sample(MonitorSample sample) {
    const double seconds = seconds_since(started_);
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    if (sample.devices.empty()) sample.devices = std::move(last_.devices);  // the search is about to end
    if (sample.progress.hashes_done < last_.progress.hashes_done) {         // the next search
        rate_ = {};
        device_rates_.clear();
    }
    last_ = std::move(sample);
    rate_.add(seconds, last_.progress.hashes_done);
    for (const DeviceStatus& device : last_.devices)
        device_rates_[device.report.info.name].add(seconds, device.report.hashes);
    add_to_history(now);
}

void Monitor::measured(const SensorReport& sensors) {
    constexpr double kLeast = 0.9;  // seconds between two readings of the counter
    const double seconds = seconds_since(started_);
    const MutexLock lock(mutex_);
    sensors_ = sensors;
    const std::optional<double> energy = sensors.cpu_energy_j;
    if (!energy || (cpu_energy_j_ && seconds - cpu_energy_at_ < kLeast)) return;
    if (cpu_energy_j_) cpu_power_w_ = std::max(0.0, *energy - *cpu_energy_j_) / (seconds - cpu_energy_at_);
    cpu_energy_j_ = energy;
    cpu_energy_at_ = seconds;
}

void Monitor::add_to_history(std::int64_t now) {
    std::optional<double> hottest;
    for (const auto& [name, usage] : sensors_.gpus) {
        if (usage.temperature_c) hottest = std::max(hottest.value_or(*usage.temperature_c), *usage.temperature_c);
    }
    history_.add(now, {static_cast<float>(last_.hash_rate), or_nan(hottest), or_nan(total_power())});
}

void Monitor::job(const MiningJob* job) {
    const double difficulty = job != nullptr ? difficulty_of(job->target()) : 0;
    const std::uint32_t mask = job != nullptr ? job->version_mask() : 0;
    const MutexLock lock(mutex_);
    has_job_ = job != nullptr;
    job_since_ = Clock::now();
    job_difficulty_ = difficulty;
    version_mask_ = mask;
    if (has_job_) ++jobs_;
}

void Monitor::answered(const net::FindAnswered& find) {
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    add_bounded(find.is_block ? blocks_ : shares_, Find{now, find}, find.is_block ? kMostBlocks : kMostShares);
    if (find.verdict == "accepted") last_accepted_ = Clock::now();
}

void Monitor::notice(const Notice& notice) {
    if (notice.severity == Severity::kDebug) return;
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    add_bounded(lines_, Line{now, notice.severity, shortened(printable(notice.text), kLongestLine)}, kMostLines);
}

// --- what is told ---

std::optional<double> Monitor::total_power() const {
    std::optional<double> sum = cpu_power_w_;
    for (const auto& [name, usage] : sensors_.gpus) {
        if (usage.power_now_w) sum = sum.value_or(0) + *usage.power_now_w;
    }
    return sum;
}

Monitor::DevicePower Monitor::power_of(const std::string& device) const {
    const auto found = sensors_.gpus.find(device);
    if (found == sensors_.gpus.end()) return {};
    return {found->second.power_now_w, found->second.temperature_c};
}

double Monitor::best_now() const { return last_.progress.best ? difficulty_of(*last_.progress.best) : 0; }

Json Monitor::summary() const {
    const MutexLock lock(mutex_);
    const net::WorkStatus& status = last_.status;
    Json json{{"command", facts_.command},
              {"uptime_seconds", seconds_since(started_)},
              {"paused", last_.progress.paused},
              {"on_battery", last_.progress.on_battery},
              {"waiting_for_devices", last_.progress.waiting},
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

Json Monitor::finds_json(const std::deque<Find>& finds) const {
    Json json = Json::array();
    for (const auto& [time, find] : finds) {
        json.push_back({{"time", text_of_time(time)},
                        {"verdict", find.verdict},
                        {"hash", find.hash},
                        {"difficulty", find.difficulty},
                        {"latency_ms", or_null(find.latency_ms)},
                        {"server", printable(find.server)},
                        {"reason", text_or_null(printable(find.reason))}});
    }
    return json;
}

Json Monitor::shares() const {
    const MutexLock lock(mutex_);
    return {{"shares", finds_json(shares_)}};
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

std::string Monitor::metrics() const {
    MetricFacts facts;
    const MutexLock lock(mutex_);
    facts.uptime_seconds = seconds_since(started_);
    facts.hash_rate = last_.hash_rate;
    facts.hashes = last_.progress.hashes_done;
    facts.paused = last_.progress.paused;
    facts.has_server = facts_.has_server;
    facts.status = &last_.status;
    facts.best_difficulty = std::max(best_before_, best_now());
    facts.cpu_energy_joules = sensors_.cpu_energy_j;
    for (const DeviceStatus& device : last_.devices) {
        const DevicePower power = power_of(device.report.info.name);
        facts.devices.push_back({&device, power.celsius, power.watts});
    }
    return metrics_text(facts);
}

// --- from run to run ---

std::string Monitor::keepsake() const {
    const MutexLock lock(mutex_);
    const Json json{{"format", kKeepsakeFormat},
                    {"format_version", 1},
                    {"best_difficulty", std::max(best_before_, best_now())},
                    {"day", history_json(history_.day)}};
    return json_text(json) + "\n";
}

double Monitor::best_before() const {
    const MutexLock lock(mutex_);
    return best_before_;
}

void Monitor::restore(const std::string& keepsake) {
    const Json json = Json::parse(keepsake, nullptr, false);
    if (!json.is_object() || json.value("format", Json()) != kKeepsakeFormat) return;
    const Json best = json.value("best_difficulty", Json());
    const MutexLock lock(mutex_);
    if (best.is_number() && best.get<double>() >= 0) best_before_ = best.get<double>();
    restore_history(history_.day, json.value("day", Json()));
}

}  // namespace gpuminer::web
