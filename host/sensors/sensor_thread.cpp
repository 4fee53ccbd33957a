#include "host/sensors/sensor_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include "host/mutex.hpp"
#include "host/sensors/device_meter.hpp"
#include "host/threads.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;
using Step = TemperatureGuard::Step;

bool computes_on_cpu(const DeviceInfo& info) { return info.is_cpu() || info.software; }

/// A device that is to be watched from now on.
struct Arrival {
    DeviceInfo info;
    double seconds = 0;  ///< when it joined the search, since SensorThread's construction
};

/// A GPU, or all devices that compute on the CPU.
struct Watched {
    std::string name;                   ///< in messages; of the CPU: "cpu"
    std::vector<std::string> devices;   ///< by their names
    const char* option = "--max-temp";  ///< that sets its limits
    std::function<SensorReading()> read = {};
    DeviceMeter meter;
    std::optional<TemperatureGuard> guard = {};
};

std::optional<TemperatureGuard> guard_of(const std::optional<TemperatureLimits>& limits) {
    return limits ? std::optional(TemperatureGuard(*limits)) : std::nullopt;
}

}  // namespace

/// The state that the thread and the SensorThread object share. An abandoned thread keeps it.
struct SensorThread::Shared {
    Shared(SensorOptions sensor_options, Actions sensor_actions)
        : options(std::move(sensor_options)), cpu(options.powercap), actions(std::move(sensor_actions)) {}

    void run(const std::stop_token& stop);
    void watch_gpu(const Arrival& arrival);
    void watch_cpu(const Arrival& arrival);
    [[nodiscard]] std::function<SensorReading()> find_sensors(const DeviceInfo& gpu);
    void open_sensors();
    void read_sensors(Watched& each, bool last);
    void apply(const Watched& each, Step step, double temperature_c);
    void pause(const std::vector<std::string>& devices, bool paused);
    void say(Severity severity, const std::string& text);
    void sample_cpu();
    void publish();
    void tell();
    [[nodiscard]] SensorReport last_report();
    [[nodiscard]] SensorReport report_of_abandoned();

    const SensorOptions options;
    const Clock::time_point started = Clock::now();

    // Used by the thread alone.
    std::vector<std::unique_ptr<GpuSensors>> sensors;  ///< in the order in which they are asked
    bool opened = false;
    std::vector<Watched> watched;

    Mutex mutex;
    Condition changed;
    CpuEnergy cpu GPUMINER_GUARDED_BY(mutex);
    std::vector<Arrival> arriving GPUMINER_GUARDED_BY(mutex);
    std::set<std::string> known GPUMINER_GUARDED_BY(mutex);  ///< devices: the next job's search has the same
    SensorReport report GPUMINER_GUARDED_BY(mutex);
    double devices_reported GPUMINER_GUARDED_BY(mutex) =
        0;  ///< when the devices' part is from, seconds since `started`

    Mutex actions_mutex;                                 ///< held during actions, `mutex` is not
    Actions actions GPUMINER_GUARDED_BY(actions_mutex);  ///< none after finish()
};

void SensorThread::Shared::run(const std::stop_token& stop) {
    for (bool last = false; !last;) {
        std::vector<Arrival> arrivals;
        {
            const MutexLock lock(mutex);
            changed.wait_for(mutex, stop, options.period,
                             [this]() GPUMINER_REQUIRES(mutex) { return !arriving.empty(); });
            last = stop.stop_requested();  // read first: what arrived before the stop is watched
            arrivals.swap(arriving);
        }
        sample_cpu();
        for (const Arrival& arrival : arrivals) computes_on_cpu(arrival.info) ? watch_cpu(arrival) : watch_gpu(arrival);
        for (Watched& each : watched) read_sensors(each, last);
        publish();
        tell();
    }
    sensors.clear();
}

void SensorThread::Shared::watch_gpu(const Arrival& arrival) {
    const std::string& name = arrival.info.name;
    watched.push_back({.name = name,
                       .devices = {name},
                       .read = find_sensors(arrival.info),
                       .meter = DeviceMeter(arrival.seconds),
                       .guard = guard_of(options.limits)});
}

void SensorThread::Shared::watch_cpu(const Arrival& arrival) {
    const std::string name(kCpuBackendName);
    auto all = std::ranges::find(watched, name, &Watched::name);
    if (all == watched.end()) {
        const auto read = [this] {
            SensorReading reading;
            reading.temperature_c = cpu_temperature(options.hwmon);
            return reading;
        };
        watched.push_back({.name = name,
                           .devices = {},
                           .option = "--max-cpu-temp",
                           .read = read,
                           .meter = DeviceMeter(arrival.seconds),
                           .guard = guard_of(options.cpu_limits)});
        all = std::prev(watched.end());
    }
    all->devices.push_back(arrival.info.name);
    if (all->guard && all->guard->paused()) pause({arrival.info.name}, true);
}

std::function<SensorReading()> SensorThread::Shared::find_sensors(const DeviceInfo& gpu) {
    if (!std::exchange(opened, true)) open_sensors();
    for (const auto& each : sensors) {
        const auto number = each->find(gpu);
        if (number) return [which = each.get(), number = *number] { return which->read(number); };
    }
    say(Severity::kDebug, gpu.name + " has no sensors that can be read");
    return [] { return SensorReading(); };
}

void SensorThread::Shared::open_sensors() {
    try {
        sensors.push_back(options.open_gpus());
    } catch (const std::exception& error) {
        say(Severity::kDebug, fmt::format("no sensors of NVIDIA GPUs: {}", error.what()));
    }
    sensors.push_back(open_hwmon(options.hwmon));
}

void SensorThread::Shared::read_sensors(Watched& each, bool last) {
    const SensorReading reading = each.read();
    each.meter.add(seconds_since(started), reading);
    if (!each.guard || last) return;
    const Step step = each.guard->observe(reading.temperature_c);
    if (step != Step::kNothing) apply(each, step, reading.temperature_c.value_or(0));
}

void SensorThread::Shared::apply(const Watched& each, Step step, double temperature_c) {
    const std::string& name = each.name;
    pause(each.devices, each.guard->paused());
    if (step == Step::kPause) {
        const std::string text = fmt::format("{} is paused at {:.0f} °C until it cools to {} °C", name, temperature_c,
                                             each.guard->limits().resume_c);
        say(Severity::kInfo, text);
        const MutexLock lock(actions_mutex);
        if (actions.hot) actions.hot({name, temperature_c, text});
    } else if (step == Step::kResume) {
        say(Severity::kInfo, fmt::format("{} resumes at {:.0f} °C", name, temperature_c));
    } else {
        say(Severity::kWarning,
            fmt::format("{} is not guarded by {}: its temperature cannot be read", name, each.option));
    }
}

void SensorThread::Shared::pause(const std::vector<std::string>& devices, bool paused) {
    const MutexLock lock(actions_mutex);
    if (!actions.pause) return;
    for (const std::string& device : devices) actions.pause(device, paused);
}

void SensorThread::Shared::say(Severity severity, const std::string& text) {
    const MutexLock lock(actions_mutex);
    if (actions.say) actions.say(severity, text);
}

void SensorThread::Shared::sample_cpu() {
    constexpr double kShortest = 0.05;  // seconds; the counters move every millisecond
    const MutexLock lock(mutex);
    cpu.sample();
    const double seconds = seconds_since(started);
    report.cpu_energy_j = seconds >= kShortest ? cpu.joules() : std::nullopt;
    report.cpu_power_w = report.cpu_energy_j ? std::optional(*report.cpu_energy_j / seconds) : std::nullopt;
}

void SensorThread::Shared::publish() {
    const MutexLock lock(mutex);
    for (const Watched& each : watched) {
        for (const std::string& name : each.devices) report.devices[name] = each.meter.usage();
    }
    devices_reported = seconds_since(started);
}

SensorReport SensorThread::Shared::last_report() {
    const MutexLock lock(mutex);
    return report;
}

void SensorThread::Shared::tell() {
    const SensorReport measured = last_report();
    const MutexLock lock(actions_mutex);
    if (actions.measured) actions.measured(measured);
}

SensorReport SensorThread::Shared::report_of_abandoned() {
    constexpr double kLongest = 2;  // seconds without a reading, for which the average power is assumed
    const MutexLock lock(mutex);
    const double missing = seconds_since(started) - devices_reported;
    SensorReport result = report;
    for (auto& [name, usage] : result.devices) {
        if (!usage.energy_j) continue;
        if (missing <= kLongest) {
            *usage.energy_j += *usage.power_w * missing;
        } else {
            usage.energy_j.reset();
        }
    }
    return result;
}

SensorThread::SensorThread(SensorOptions options, Actions actions)
    : shared_(std::make_shared<Shared>(std::move(options), std::move(actions))) {
    if (const std::string problem = shared_->cpu.problem(); !problem.empty()) {
        shared_->say(Severity::kDebug, "CPU package energy is not measured: " + problem);
    }
    try {
        thread_ = AbandonableThread([shared = shared_](const std::stop_token& stop) { shared->run(stop); });
    } catch (const std::system_error& error) {
        const bool guards = shared_->options.limits || shared_->options.cpu_limits;
        shared_->say(
            guards ? Severity::kWarning : Severity::kDebug,
            fmt::format("sensors cannot be read, so no device is paused for its temperature: {}", error.what()));
    }
}

SensorThread::~SensorThread() { finish(); }

void SensorThread::watch(const DeviceInfo& info) {
    const MutexLock lock(shared_->mutex);
    if (!shared_->known.insert(info.name).second) return;
    shared_->arriving.push_back({info, seconds_since(shared_->started)});
    shared_->changed.notify_all();
}

SensorReport SensorThread::finish() {
    if (std::exchange(finished_, true)) return report_;
    Shared& shared = *shared_;
    const bool ended = thread_.finish(shared.options.patience);
    if (!ended) shared.sample_cpu();
    report_ = ended ? shared.last_report() : shared.report_of_abandoned();
    const MutexLock lock(shared.actions_mutex);
    shared.actions = {};
    return report_;
}

}  // namespace gpuminer
