#include "web/monitor.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "host/threads.hpp"
#include "net/steady_time.hpp"
#include "web/idle.hpp"
#include "web/metrics.hpp"

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShares = 200, kMostBlocks = 100, kMostLines = 100;
constexpr std::size_t kLongestLine = 500;  // characters
constexpr const char* kKeepsakeFormat = "gpuminer history";

std::int64_t unix_seconds() { return net::unix_milliseconds() / 1000; }

float or_nan(const std::optional<double>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
}

/// An object; of any other text an empty one.
Json parsed_keepsake(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    return json.is_object() && json.value("format", Json()) == kKeepsakeFormat ? json : Json::object();
}

double best_in(const Json& keepsake) {
    const Json best = keepsake.value("best_difficulty", Json());
    return best.is_number() && best.get<double>() > 0 ? best.get<double>() : 0;
}

template <class Entry>
void add_bounded(std::deque<Entry>& entries, Entry entry, std::size_t most) {
    entries.push_back(std::move(entry));
    if (entries.size() > most) entries.pop_front();
}

/// The hour by seconds from the day's minutes, as far as they have passed at `now`.
void fill_hour(History& history, std::int64_t now) {
    constexpr std::int64_t kHour = 3600;
    const std::vector<HistoryPoint> minutes = history.day.points();
    const std::int64_t step = history.day.step(), behind = history.day.newest() + step;
    const std::int64_t begin = behind - static_cast<std::int64_t>(minutes.size()) * step, end = std::min(now, behind);
    std::vector<HistoryPoint> seconds;
    for (std::int64_t time = std::max(begin, end - kHour); time < end; ++time)
        seconds.push_back(minutes[static_cast<std::size_t>((time - begin) / step)]);
    history.hour.restore(end - 1, seconds);
}

}  // namespace

Monitor::Monitor(MonitorFacts facts) : facts_(std::move(facts)) {}

// --- what happens ---

void Monitor::sample(RunSample sample) {
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

void Monitor::pausing(bool paused) {
    const MutexLock lock(mutex_);
    if (last_.progress.paused == paused) return;
    last_.progress.paused = paused;
    last_.hash_rate = 0;  // at an end of a pause, too, nothing has been measured yet
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
    history_.add(now, {static_cast<float>(last_.hash_rate), or_nan(hottest()), or_nan(total_power())});
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

void Monitor::answered(const net::AnsweredFind& find) {
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    add_bounded(find.is_block ? blocks_ : shares_, {now, find}, find.is_block ? kMostBlocks : kMostShares);
    if (find.verdict != "accepted") return;
    last_accepted_ = Clock::now();
    best_.add({now, find.share_difficulty, find.hash, find.server});
}

void Monitor::notice(const Notice& notice) {
    if (notice.severity == Severity::kDebug) return;
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    add_bounded(lines_, Line{now, notice.severity, shortened(printable(notice.text), kLongestLine)}, kMostLines);
}

// --- what is told ---

std::string_view Monitor::idle() const { return why_idle(last_.progress, facts_.has_server ? &last_.status : nullptr); }

std::optional<double> Monitor::total_power() const {
    std::optional<double> sum = cpu_power_w_;
    for (const auto& [name, usage] : sensors_.devices) {
        if (usage.power_now_w) sum = sum.value_or(0) + *usage.power_now_w;
    }
    return sum;
}

std::optional<double> Monitor::hottest() const {
    std::optional<double> celsius;
    for (const auto& [name, usage] : sensors_.devices) {
        if (usage.temperature_c) celsius = std::max(celsius.value_or(*usage.temperature_c), *usage.temperature_c);
    }
    return celsius;
}

Monitor::DevicePower Monitor::power_of(const std::string& device) const {
    const auto found = sensors_.devices.find(device);
    if (found == sensors_.devices.end()) return {};
    return {found->second.power_now_w, found->second.temperature_c};
}

bool Monitor::on_battery() const {
    const MutexLock lock(mutex_);
    return last_.progress.on_battery;
}

double Monitor::best_now() const { return last_.progress.best ? difficulty_of(*last_.progress.best) : 0; }

std::string Monitor::metrics() const {
    MetricFacts facts;
    const MutexLock lock(mutex_);
    facts.uptime_seconds = seconds_since(started_);
    facts.hash_rate = last_.hash_rate;
    facts.hashes = last_.progress.hashes_done;
    facts.paused = last_.progress.paused;
    facts.idle = idle();
    facts.host = facts_.host;
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
                    {"best_shares", best_.json()},
                    {"day", history_json(history_.day)}};
    return json_text(json) + "\n";
}

double Monitor::best_before() const {
    const MutexLock lock(mutex_);
    return best_before_;
}

void Monitor::restore(const std::string& keepsake) {
    const Json json = parsed_keepsake(keepsake);
    const std::int64_t now = unix_seconds();
    const MutexLock lock(mutex_);
    best_before_ = std::max(best_before_, best_in(json));
    best_.restore(json.value("best_shares", Json()));
    restore_history(history_.day, json.value("day", Json()));
    fill_hour(history_, now);
}

std::string with_best_of(const std::string& keepsake, const std::string& other) {
    Json json = parsed_keepsake(keepsake);
    const Json others = parsed_keepsake(other);
    BestShares best;
    best.restore(json.value("best_shares", Json()));
    best.restore(others.value("best_shares", Json()));
    json["best_difficulty"] = std::max(best_in(json), best_in(others));
    json["best_shares"] = best.json();
    return json_text(json) + "\n";
}

}  // namespace gpuminer::web
