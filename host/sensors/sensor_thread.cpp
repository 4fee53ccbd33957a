#include "host/sensors/sensor_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include "host/clock.hpp"
#include "host/mutex.hpp"
#include "host/sensors/device_meter.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;
using Step = TemperatureGuard::Step;

bool has_gpu_sensors(const DeviceInfo& info) { return !info.is_cpu() && !info.software; }

/// A device that is to be watched from now on.
struct Arrival {
    DeviceInfo info;
    double seconds = 0;  ///< when it joined the search, since SensorThread's construction
};

struct WatchedGpu {
    std::string name;
    std::optional<std::size_t> number = {};  ///< GpuSensors::find(); empty: it has no sensors that can be read
    DeviceMeter meter;
    std::optional<TemperatureGuard> guard = {};
};

}  // namespace

/// The state that the thread and the SensorThread object share. An abandoned thread keeps it.
struct SensorThread::Shared {
    Shared(SensorOptions sensor_options, Actions sensor_actions)
        : options(std::move(sensor_options)), cpu(options.powercap), actions(std::move(sensor_actions)) {}

    void run(const std::stop_token& stop);
    void begin_watching(const std::vector<Arrival>& arrivals);
    void read_sensors(WatchedGpu& gpu, bool last);
    void apply(const WatchedGpu& gpu, Step step, double temperature_c);
    void say(Severity severity, const std::string& text);
    void sample_cpu();
    void publish();
    void tell();
    [[nodiscard]] SensorReport last_report();
    [[nodiscard]] SensorReport report_of_abandoned();

    const SensorOptions options;
    const Clock::time_point started = Clock::now();

    // Used by the thread alone.
    std::unique_ptr<GpuSensors> sensors;
    bool opened = false;
    std::vector<WatchedGpu> gpus;

    Mutex mutex;
    Condition changed;
    CpuEnergy cpu GPUMINER_GUARDED_BY(mutex);
    std::vector<Arrival> arriving GPUMINER_GUARDED_BY(mutex);
    SensorReport report GPUMINER_GUARDED_BY(mutex);
    double gpus_reported GPUMINER_GUARDED_BY(mutex) = 0;  ///< when the GPUs' part is from, seconds since `started`

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
        begin_watching(arrivals);
        for (WatchedGpu& gpu : gpus) read_sensors(gpu, last);
        publish();
        tell();
    }
    sensors.reset();
}

void SensorThread::Shared::begin_watching(const std::vector<Arrival>& arrivals) {
    if (arrivals.empty()) return;
    if (!std::exchange(opened, true)) {
        try {
            sensors = options.open_gpus();
        } catch (const std::exception& error) {
            say(Severity::kDebug, fmt::format("no GPU sensors: {}", error.what()));
        }
    }
    for (const auto& [info, seconds] : arrivals) {
        if (std::ranges::find(gpus, info.name, &WatchedGpu::name) != gpus.end()) continue;
        WatchedGpu gpu{.name = info.name, .meter = DeviceMeter(seconds)};
        if (sensors) gpu.number = sensors->find(info);
        if (sensors && !gpu.number) say(Severity::kDebug, info.name + " has no sensors that can be read");
        if (options.limits) gpu.guard.emplace(*options.limits);
        gpus.push_back(std::move(gpu));
    }
}

void SensorThread::Shared::read_sensors(WatchedGpu& gpu, bool last) {
    const SensorReading reading = gpu.number ? sensors->read(*gpu.number) : SensorReading{};
    gpu.meter.add(seconds_since(started), reading);
    if (!gpu.guard || last) return;
    const Step step = gpu.guard->observe(reading.temperature_c);
    if (step != Step::kNothing) apply(gpu, step, reading.temperature_c.value_or(0));
}

void SensorThread::Shared::apply(const WatchedGpu& gpu, Step step, double temperature_c) {
    const std::string& name = gpu.name;
    {
        const MutexLock lock(actions_mutex);
        if (actions.pause) actions.pause(name, gpu.guard->paused());
    }
    if (step == Step::kPause) {
        say(Severity::kInfo, fmt::format("{} is paused at {:.0f} °C until it cools to {} °C", name, temperature_c,
                                         options.limits->resume_c));
    } else if (step == Step::kResume) {
        say(Severity::kInfo, fmt::format("{} resumes at {:.0f} °C", name, temperature_c));
    } else {
        say(Severity::kWarning, fmt::format("{} is not guarded by --max-temp: its temperature cannot be read", name));
    }
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
    for (const WatchedGpu& gpu : gpus) report.devices[gpu.name] = gpu.meter.usage();
    gpus_reported = seconds_since(started);
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
    const double missing = seconds_since(started) - gpus_reported;
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
        shared_->say(shared_->options.limits ? Severity::kWarning : Severity::kDebug,
                     fmt::format("sensors cannot be read, so --max-temp has no effect: {}", error.what()));
    }
}

SensorThread::~SensorThread() { finish(); }

void SensorThread::watch(const DeviceInfo& info) {
    if (!has_gpu_sensors(info)) return;
    const MutexLock lock(shared_->mutex);
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
