// Workload `scheduler`: the host's cost, with up to a thousand fake devices of a stated speed that only wait until
// their work would be done.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/document/statistics.hpp"
#include "bench/workloads/paced_device.hpp"
#include "bench/workloads/process_time.hpp"
#include "bench/workloads/workload.hpp"
#include "host/mutex.hpp"
#include "host/search/fleet.hpp"
#include "host/search/search.hpp"
#include "host/search/version_space.hpp"

namespace gpuminer::bench {

Rows prepare_scheduler(const Setting& setting);

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Farm {
    unsigned devices;
    double rate;  ///< hashes per second, of each
};
constexpr Farm kFarms[] = {{1, 100e9}, {10, 100e9}, {100, 100e9}, {1000, 100e9}, {1, 10e12}};

double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// 2^32 nonces of 2^16 versions, and nothing to be found. Another block than that of the self-tests.
SearchRequest endless_request() {
    SearchRequest request;
    request.header = parse_header_hex(embedded_blocks().front().header_hex).header;
    request.target = {};
    request.version_mask = kBip320Mask;
    request.goal = Goal::kAll;
    return request;
}

/// Stops the search at a time, or when the user ends the run.
class Deadline {
public:
    Deadline(Search& search, Clock::time_point time, const std::stop_token& user)
        : user_(user, [&search] { search.stop(Ending::kInterrupted); }),
          thread_([&search, time](const std::stop_token& over) {
              Mutex mutex;
              Condition never;
              const MutexLock lock(mutex);
              never.wait_until(mutex, over, time, [] { return false; });
              search.stop(Ending::kLimit);
          }) {}

private:
    const std::stop_callback<std::function<void()>> user_;
    const std::jthread thread_;
};

/// What one round showed.
struct Figures {
    double host_seconds_per_batch = 0;
    double batches_per_second = 0;
    double share_of_one_core = 0;
    double share_of_stated_rate = 0;
    double last_at_work_ms = 0;  ///< from the search's start until every device is in its first scan
};

class Scheduler {
public:
    Scheduler(const Farm& farm, const std::stop_token& stop) : farm_(farm), stop_(stop) {
        std::vector<std::unique_ptr<Device>> devices;
        for (unsigned i = 0; i < farm.devices; ++i) {
            auto device = std::make_unique<PacedDevice>(i, farm.rate, request_);
            devices_.push_back(device.get());
            devices.push_back(std::move(device));
        }
        // On a busy machine a thousand threads need more time to end than a driver is given.
        fleet_ = std::make_unique<Fleet>(std::move(devices), FleetTimes{.answer = 60s, .end = 60s, .close = 60s});
        started_ = fleet_->ready().size();
    }

    [[nodiscard]] std::string name() const {
        const auto [value, unit] =
            farm_.rate < 1e12 ? std::pair(farm_.rate / 1e9, "GH/s") : std::pair(farm_.rate / 1e12, "TH/s");
        return fmt::format("{} {} of {:g} {}", farm_.devices, farm_.devices == 1 ? "device" : "devices", value, unit);
    }
    /// How many devices have got a thread.
    [[nodiscard]] std::size_t started() const { return started_; }

    /// Throws VerificationError, Interrupted.
    double measure(double seconds) {
        constexpr double kShortest = 0.3;    // for every device to begin
        constexpr double kMostSeconds = 60;  // for one of them, on a slow or busy machine
        seconds = std::max(seconds, kShortest);
        prove();
        double wall = 0, cpu = 0, worked = 0, available = 0;
        std::uint64_t scans = 0;
        std::optional<double> last_at_work;
        while (wall < seconds || (scans == 0 && wall < kMostSeconds)) {  // a search may end early: all is searched
            const auto start = Clock::now();
            const double left = std::max(seconds - wall, scans == 0 ? wall : 0);  // twice as long in all if none began
            const double cpu_before = process_cpu_seconds();
            search(start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left)));
            cpu += process_cpu_seconds() - cpu_before;
            wall += seconds_between(start, Clock::now());
            auto last_began = start;
            for (const PacedDevice* device : devices_) {
                if (!device->first_began) continue;
                scans += device->scans;
                worked += static_cast<double>(device->hashes) / farm_.rate;
                available += seconds_between(*device->first_began, device->last_ended);
                last_began = std::max(last_began, *device->first_began);
            }
            if (!last_at_work && scans > 0) last_at_work = 1e3 * seconds_between(start, last_began);
        }
        const double batches = static_cast<double>(std::max<std::uint64_t>(scans, 1));
        if (scans == 0) throw VerificationError(name() + ": no device began to search");
        figures_.push_back({cpu / batches, batches / wall, cpu / wall, worked / available, *last_at_work});
        return 1e6 * cpu / batches;
    }

    [[nodiscard]] Json details() const {
        const auto median_of = [this](double Figures::*figure) {
            std::vector<double> values;
            for (const Figures& round : figures_) values.push_back(round.*figure);
            return median(values);
        };
        return {{"devices", farm_.devices},
                {"hashes_per_second", farm_.devices * farm_.rate},
                {"batches_per_second", median_of(&Figures::batches_per_second)},
                {"share_of_one_core", median_of(&Figures::share_of_one_core)},
                {"share_of_stated_rate", median_of(&Figures::share_of_stated_rate)},
                {"last_device_at_work_ms", median_of(&Figures::last_at_work_ms)}};
    }

private:
    /// The first search of a fleet begins with self-tests; this one ends when all devices have passed theirs.
    void prove() {
        if (std::exchange(proven_, true)) return;
        SearchRequest request = request_;
        request.version_mask = 0;
        request.end = 0;
        require_sound(Search(request, *fleet_).run());
    }

    void search(Clock::time_point end) {
        for (PacedDevice* device : devices_) {
            device->hashes = device->scans = 0;
            device->first_began.reset();
        }
        Search search(request_, *fleet_);
        const SearchReport report = [&] {
            const Deadline deadline(search, end, stop_);
            return search.run();
        }();
        if (stop_.stop_requested()) throw Interrupted{};
        require_sound(report);
        std::uint64_t hashes = 0;
        for (const PacedDevice* device : devices_) hashes += device->hashes;
        if (hashes != report.hashes)
            throw VerificationError(
                fmt::format("{}: the devices searched {} hashes, but {} were counted", name(), hashes, report.hashes));
    }

    void require_sound(const SearchReport& report) const {
        for (const DeviceReport& device : report.devices) {
            if (!device.failure.empty())
                throw VerificationError(fmt::format("{}: {} failed: {}", name(), device.info.name, device.failure));
        }
        if (!report.hits.empty()) throw VerificationError(name() + ": something was found where nothing is");
    }

    const Farm farm_;
    const std::stop_token stop_;
    const SearchRequest request_ = endless_request();
    std::vector<PacedDevice*> devices_;  ///< the fleet's
    std::unique_ptr<Fleet> fleet_;
    std::size_t started_ = 0;
    bool proven_ = false;
    std::vector<Figures> figures_;
};

}  // namespace

Rows prepare_scheduler(const Setting& setting) {
    Rows rows;
    for (const Farm& farm : kFarms) {
        const auto scheduler = std::make_shared<Scheduler>(farm, setting.stop);
        if (scheduler->started() < farm.devices) {
            setting.note(fmt::format(
                "scheduler: {} are left out, as only {} threads could be started: a limit on processes or memory",
                scheduler->name(), scheduler->started()));
            continue;
        }
        rows.rows.push_back({scheduler->name(), "µs of host time per batch", Better::kLower,
                             [scheduler](double seconds) { return scheduler->measure(seconds); },
                             [scheduler] { return scheduler->details(); }});
    }
    return rows;
}

}  // namespace gpuminer::bench
