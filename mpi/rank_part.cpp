#include "mpi/rank_part.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "cli/commands.hpp"
#include "cli/run/run.hpp"
#include "cpu/machine/topology.hpp"

namespace gpuminer::mpi {
namespace {

RankReport report_without_search(const Communicator& communicator) {
    RankReport report;
    report.rank = static_cast<unsigned>(communicator.rank());
    report.host = communicator.host();
    report.first_of_machine = communicator.local_rank() == 0;
    return report;
}

}  // namespace

DeviceSelection share_of(DeviceSelection selection, const Communicator& communicator) {
    DeviceOptions& device = selection.options;
    if (communicator.local_size() == 1 || device.threads || !device.cpu_affinity.empty()) return selection;
    const auto ranks = static_cast<std::size_t>(communicator.local_size());
    const std::size_t usable = cpu::usable_hardware_threads().size();
    const auto online = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    if (usable * ranks > online) device.threads = static_cast<unsigned>(std::max<std::size_t>(1, usable / ranks));
    return selection;
}

std::unique_ptr<RankDevices> open_devices(const Communicator& communicator, const Options& options,
                                          const ProgramSetup& setup) {
    return std::make_unique<RankDevices>([&] {
        return std::make_unique<Fleet>(built_in_backends(), share_of(options.devices, communicator), setup.fleet_times);
    });
}

std::vector<std::string> gather_idle_reports(Communicator& communicator) {
    return communicator.gather(to_bytes(report_without_search(communicator)));
}

RankPart::RankPart(Communicator& communicator, RankDevices& devices, const RankStart& start, const Options& options,
                   const ProgramSetup& setup)
    : communicator_(communicator) {
    if (devices.fleet && wants_sensors(options)) {
        // The energy of a machine's CPUs is counted once.
        const bool first = communicator.local_rank() == 0;
        sensors_ = std::make_unique<SensorThread>(
            SensorOptions{.limits = options.temperature_limits,
                          .cpu_limits = options.cpu_temperature_limits,
                          .powercap = first ? setup.powercap : "",
                          .hwmon = setup.hwmon},
            SensorThread::Actions{.pause =
                                      [this](const std::string& device, bool paused) {
                                          searching_.load()->pause_device(device, PauseReason::kTemperature, paused);
                                      },
                                  .say = [&devices](Severity severity,
                                                    const std::string& text) { devices.notices.add(severity, text); }});
    }
    search_.emplace(start.request, start.record.group_size, devices, [this](const DeviceInfo& info, Search& search) {
        searching_ = &search;
        if (sensors_) sensors_->watch(info);
    });
    worker_.emplace(*search_, start, static_cast<unsigned>(communicator.size()),
                    [&communicator](std::uint64_t count) { return communicator.take(count); });
}

std::string RankPart::report(double counter_hz) {
    RankReport report = report_without_search(communicator_);
    report.search = worker_->report();
    report.search.counter_hz = counter_hz;
    if (sensors_) report.sensors = sensors_->finish();
    return to_bytes(report);
}

}  // namespace gpuminer::mpi
