#include "host/sensors/sensor_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "host/abandoned_threads.hpp"
#include "host/sensors/gpu_meter.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;
using Step = TemperatureGuard::Step;

double seconds_since(Clock::time_point moment) { return std::chrono::duration<double>(Clock::now() - moment).count(); }

bool has_gpu_sensors(const DeviceInfo& info) { return !info.is_cpu() && !info.software; }

struct Arrival {
    DeviceInfo info;
    double seconds = 0;  ///< when it came, on the thread's clock
};

struct WatchedGpu {
    std::string name;
    std::optional<std::size_t> number = {};  ///< empty: it has no sensors that could be read
    GpuMeter meter;
    std::optional<TemperatureGuard> guard = {};
};

}  // namespace

/// What the thread and everybody else know. The thread may outlive all others who do.
struct SensorThread::Shared {
    Shared(SensorOptions sensor_options, Actions sensor_actions)
        : options(std::move(sensor_options)), cpu(options.powercap), actions(std::move(sensor_actions)) {}

    void run();
    void meet(const std::vector<Arrival>& arrivals);
    void look_at(WatchedGpu& gpu, bool last);
    void act(const WatchedGpu& gpu, Step step, double temperature_c);
    void say(Severity severity, const std::string& text);
    void sample_cpu();
    void publish();
    [[nodiscard]] SensorReport report_without_end();

    const SensorOptions options;
    const Clock::time_point started = Clock::now();

    // Used by the thread alone.
    std::unique_ptr<GpuSensors> sensors;
    bool opened = false;
    std::vector<WatchedGpu> gpus;

    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    CpuEnergy cpu;
    std::vector<Arrival> arriving;
    bool ending = false;
    bool ended = false;
    SensorReport report;
    double reported_gpus = 0;  ///< when they were, in seconds from the start

    std::mutex actions_mutex;  // held during actions; they know nothing of `mutex`
    Actions actions;           // none any more after finish()
};

void SensorThread::Shared::run() {
    for (bool last = false; !last;) {
        std::vector<Arrival> arrivals;
        {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, options.period, [this] { return ending || !arriving.empty(); });
            arrivals.swap(arriving);
            last = ending;
        }
        sample_cpu();
        meet(arrivals);
        for (WatchedGpu& gpu : gpus) look_at(gpu, last);
        publish();
    }
    sensors.reset();
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
}

void SensorThread::Shared::meet(const std::vector<Arrival>& arrivals) {
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
        WatchedGpu gpu{.name = info.name, .meter = GpuMeter(seconds)};
        if (sensors) gpu.number = sensors->find(info);
        if (sensors && !gpu.number) say(Severity::kDebug, info.name + " has no sensors that can be read");
        if (options.limits) gpu.guard.emplace(*options.limits);
        gpus.push_back(std::move(gpu));
    }
}

void SensorThread::Shared::look_at(WatchedGpu& gpu, bool last) {
    const GpuReading reading = gpu.number ? sensors->read(*gpu.number) : GpuReading{};
    gpu.meter.add(seconds_since(started), reading);
    if (!gpu.guard || last) return;
    const Step step = gpu.guard->observe(reading.temperature_c);
    if (step != Step::kNothing) act(gpu, step, reading.temperature_c.value_or(0));
}

void SensorThread::Shared::act(const WatchedGpu& gpu, Step step, double temperature_c) {
    const std::string& name = gpu.name;
    {
        const std::lock_guard lock(actions_mutex);
        if (actions.pause) actions.pause(name, gpu.guard->paused());
    }
    if (step == Step::kPause) {
        say(Severity::kInfo, fmt::format("{} is paused at {:.0f} °C until it is at {} °C or less", name, temperature_c,
                                         options.limits->resume_c));
    } else if (step == Step::kResume) {
        say(Severity::kInfo, fmt::format("{} goes on at {:.0f} °C", name, temperature_c));
    } else {
        say(Severity::kWarning, fmt::format("{} is not guarded by --max-temp: its temperature cannot be read", name));
    }
}

void SensorThread::Shared::say(Severity severity, const std::string& text) {
    const std::lock_guard lock(actions_mutex);
    if (actions.say) actions.say(severity, text);
}

void SensorThread::Shared::sample_cpu() {
    constexpr double kShortest = 0.05;  // seconds; the counters move every millisecond
    const std::lock_guard lock(mutex);
    cpu.sample();
    const double seconds = seconds_since(started);
    report.cpu_energy_j = seconds >= kShortest ? cpu.joules() : std::nullopt;
    report.cpu_power_w = report.cpu_energy_j ? std::optional(*report.cpu_energy_j / seconds) : std::nullopt;
}

void SensorThread::Shared::publish() {
    const std::lock_guard lock(mutex);
    for (const WatchedGpu& gpu : gpus) report.gpus[gpu.name] = gpu.meter.usage();
    reported_gpus = seconds_since(started);
}

SensorReport SensorThread::Shared::report_without_end() {
    constexpr double kLongest = 2;  // seconds that may count at the average power
    const std::lock_guard lock(mutex);
    const double missing = seconds_since(started) - reported_gpus;
    SensorReport result = report;
    for (auto& [name, usage] : result.gpus) {
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
    if (!shared_->cpu.problem().empty()) {
        shared_->say(Severity::kDebug, "CPU package energy is not measured: " + shared_->cpu.problem());
    }
    try {
        thread_ = std::thread([shared = shared_] { shared->run(); });
    } catch (const std::system_error& error) {
        shared_->ended = true;
        shared_->say(shared_->options.limits ? Severity::kWarning : Severity::kDebug,
                     fmt::format("sensors are not read, and --max-temp guards nothing: {}", error.what()));
    }
}

SensorThread::~SensorThread() { finish(); }

void SensorThread::watch(const DeviceInfo& info) {
    if (!has_gpu_sensors(info)) return;
    const std::lock_guard lock(shared_->mutex);
    shared_->arriving.push_back({info, seconds_since(shared_->started)});
    shared_->changed.notify_all();
}

SensorReport SensorThread::finish() {
    if (std::exchange(finished_, true)) return report_;
    std::unique_lock lock(shared_->mutex);
    shared_->ending = true;
    shared_->changed.notify_all();
    const bool ended = shared_->changed.wait_for(lock, shared_->options.patience, [this] { return shared_->ended; });
    report_ = shared_->report;
    lock.unlock();
    if (!ended) {
        note_abandoned_thread();
        thread_.detach();  // it shares the ownership of all that it uses
        shared_->sample_cpu();
        report_ = shared_->report_without_end();
    } else if (thread_.joinable()) {
        thread_.join();
    }
    const std::lock_guard actions_lock(shared_->actions_mutex);
    shared_->actions = {};
    return report_;
}

}  // namespace gpuminer
