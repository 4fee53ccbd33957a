#include "host/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/hex.hpp"
#include "host/logging.hpp"

namespace gpuminer {

// One word in CMake per backend makes these declarations and this list (see GPUMINER_BACKENDS).
#define GPUMINER_BACKEND(variable) extern const Backend variable;
#include "gpuminer_backends.inc"
#undef GPUMINER_BACKEND

namespace {

#define GPUMINER_BACKEND(variable) &(variable),
constexpr std::array kBackends{
#include "gpuminer_backends.inc"
};
#undef GPUMINER_BACKEND

constexpr std::array<std::string_view, 4> kKnownBackends{"cpu", "cuda", "opencl", "vulkan"};
constexpr std::string_view kAuto = "auto";

void require_known(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name == kAuto) continue;
        if (std::ranges::find(kKnownBackends, name) == kKnownBackends.end()) {
            throw InputError(fmt::format("--backend: expected {}, {}, got {}", kAuto, fmt::join(kKnownBackends, ", "),
                                         gpuminer::quoted(name)));
        }
        const auto is_it = [&](const Backend* backend) { return name == backend->name; };
        if (std::ranges::none_of(kBackends, is_it))
            throw NoDeviceError("the " + name + " backend is not part of this build");
    }
}

bool chosen(const Backend& backend, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) { return name == kAuto || name == backend.name; });
}

/// What -d names in `listed`; throws InputError where it names nothing.
const ListedDevice& find_device(const std::vector<ListedDevice>& listed, const std::string& wanted) {
    for (const ListedDevice& device : listed) {
        if (wanted == device.probe.info.name || wanted == std::to_string(device.number)) return device;
    }
    std::vector<std::string> known;
    known.reserve(listed.size());
    for (const ListedDevice& device : listed)
        known.push_back(fmt::format("{} {}", device.number, device.probe.info.name));
    throw InputError(fmt::format("-d: expected names or numbers of devices ({}), got {}", fmt::join(known, ", "),
                                 gpuminer::quoted(wanted)));
}

std::vector<const ListedDevice*> select(const std::vector<ListedDevice>& listed,
                                        const std::vector<std::string>& wanted) {
    std::vector<const ListedDevice*> selected;
    if (wanted.empty()) {
        for (const ListedDevice& device : listed) {
            if (device.probe.usable && device.probe.used_by_default) selected.push_back(&device);
        }
    }
    for (const std::string& name : wanted) {
        const ListedDevice& device = find_device(listed, name);
        const Probe& probe = device.probe;
        if (!probe.usable)
            throw NoDeviceError(fmt::format("device {} cannot be used: {}", probe.info.name, probe.reason));
        if (std::ranges::find(selected, &device) == selected.end()) selected.push_back(&device);
    }
    return selected;
}

std::string why_nothing(const std::vector<ListedDevice>& listed) {
    std::string text = "no usable device";
    for (const ListedDevice& device : listed) {
        if (!device.probe.reason.empty()) text += fmt::format("; {}: {}", device.probe.info.name, device.probe.reason);
    }
    return text;
}

}  // namespace

std::vector<ListedDevice> list_devices(const DeviceSelection& selection) {
    require_known(selection.backends);
    const auto is_chosen = [&](const Backend* backend) { return chosen(*backend, selection.backends); };
    // Those after the last chosen one need not be asked; those before it count, so that numbers stay the same.
    const auto end = std::find_if(kBackends.rbegin(), kBackends.rend(), is_chosen).base();
    std::vector<ListedDevice> listed;
    unsigned number = 0;
    for (auto backend = kBackends.begin(); backend != end; ++backend) {
        for (Probe& probe : (*backend)->probe(selection.options)) {
            if (is_chosen(*backend)) listed.push_back({number, *backend, std::move(probe)});
            ++number;
        }
    }
    return listed;
}

std::vector<std::unique_ptr<Device>> open_devices(const DeviceSelection& selection) {
    const std::vector<ListedDevice> listed = list_devices(selection);
    std::vector<std::unique_ptr<Device>> devices;
    std::string problems;
    for (const ListedDevice* device : select(listed, selection.devices)) {
        try {
            devices.push_back(device->backend->open(device->probe, selection.options));
        } catch (const DeviceError& error) {
            log_warning(fmt::format("{} is not used: {}", device->probe.info.name, error.what()));
            problems += fmt::format("; {}: {}", device->probe.info.name, error.what());
        }
    }
    if (devices.empty()) throw NoDeviceError(why_nothing(listed) + problems);
    return devices;
}

}  // namespace gpuminer
