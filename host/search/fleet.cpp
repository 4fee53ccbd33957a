#include "host/search/fleet.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "host/search/fleet_state.hpp"

namespace gpuminer {
namespace {

/// Opens a CPU device, which takes no time worth mentioning.
void open_now(FleetState& state, const ListedDevice& device, const DeviceOptions& options) {
    const std::string& name = device.probe.info.name;
    try {
        state.add(device.rank, device.backend->open(device.probe, options));
    } catch (const DeviceError& error) {
        state.note_problem(name, error.what());
        state.warn(fmt::format("{} is not used: {}", name, error.what()));
    }
}

void add_named(FleetState& state, Backends backends, const DeviceSelection& selection, const FleetTimes& times) {
    for (const ListedDevice& device : find_devices(list_devices(backends, selection, times.probe), selection.devices)) {
        device.backend->is_cpu() ? open_now(state, device, selection.options) : state.add(device, selection.options);
    }
}

void add_default(FleetState& state, Backends backends, const DeviceSelection& selection) {
    std::vector<const Backend*> others;
    for (const Backend* backend : chosen_backends(backends, selection)) {
        if (!backend->is_cpu()) {
            others.push_back(backend);
            continue;
        }
        for (const ListedDevice& device : listed_of(backends, *backend, backend->probe(selection.options))) {
            if (!device.probe.reason.empty()) state.note_problem(device.probe.info.name, device.probe.reason);
            if (device.probe.usable && device.probe.used_by_default) open_now(state, device, selection.options);
        }
    }
    for (const ListedDevice& missing : missing_backends(backends, selection)) {
        const auto& [name, reason] = std::pair(missing.probe.info.name, missing.probe.reason);
        if (!names_backend(selection, name)) continue;  // a part of "auto"
        state.note_problem(name, reason);
        state.warn(fmt::format("{} is not used: {}", name, reason));
    }
    if (!others.empty()) state.find_gpus(backends, selection, others);
}

}  // namespace

Fleet::Fleet(const FleetTimes& times) : state_(std::make_shared<FleetState>(times)) {}

Fleet::Fleet(Backends backends, const DeviceSelection& selection, const FleetTimes& times) : Fleet(times) {
    require_known(selection);
    state_->note_named(selection);
    if (selection.devices.empty()) {
        add_default(*state_, backends, selection);
    } else {
        add_named(*state_, backends, selection, times);
    }
    state_->require_devices();
}

Fleet::Fleet(std::vector<std::unique_ptr<Device>> devices, const FleetTimes& times) : Fleet(times) {
    if (devices.empty()) throw NoDeviceError("There is no device to search with.");
    unsigned rank = 0;
    for (auto& device : devices) state_->add(rank++, std::move(device));
}

Fleet::~Fleet() { state_->close(); }

std::vector<DeviceInfo> Fleet::ready() const { return state_->ready(); }

}  // namespace gpuminer
