#include "host/devices/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "host/block/algorithm.hpp"
#include "host/devices/probing.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr const char* kAuto = "auto";

struct KnownBackend {
    const char* name;
    const char* why_missing;  ///< in a program without it
};
constexpr std::array kKnownBackends{
#define GPUMINER_KNOWN_BACKEND(capitalised, name, why_missing) KnownBackend{name, why_missing},
#include "gpuminer_known_backends.inc"
#undef GPUMINER_KNOWN_BACKEND
};

bool chosen(const DeviceSelection& selection, const std::string& backend) {
    return names_backend(selection, backend) || names_backend(selection, kAuto);
}

std::vector<const Backend*> of_algorithm(Backends backends, const DeviceSelection& selection) {
    std::vector<const Backend*> result;
    std::ranges::copy_if(backends, std::back_inserter(result),
                         [&](const Backend* backend) { return backend->algorithm == selection.algorithm; });
    return result;
}

bool is_real(const ListedDevice& device) { return device.probe.usable && !device.probe.info.software; }

/// The same GPU, through two APIs or twice through one.
bool same_gpu(const DeviceInfo& a, const DeviceInfo& b) {
    if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid;
    return !a.pci.empty() && a.pci == b.pci;
}

/// Which of those, all the same GPU, is the one to use.
const ListedDevice& best_of(const std::vector<ListedDevice*>& same, const std::set<std::string>& in_use) {
    for (const ListedDevice* device : same) {
        if (in_use.contains(device->probe.info.name)) return *device;
    }
    const auto rate = [](const ListedDevice* device) { return device->probe.tuned_rate; };
    const auto rank = [](const ListedDevice* device) { return device->rank; };
    const bool all_tuned = std::ranges::all_of(same, [&](const ListedDevice* device) { return rate(device) > 0; });
    return all_tuned ? **std::ranges::max_element(same, {}, rate) : **std::ranges::min_element(same, {}, rank);
}

void use_each_gpu_once(std::vector<ListedDevice>& listed, const std::set<std::string>& in_use) {
    std::vector<ListedDevice*> left;
    for (ListedDevice& device : listed) {
        if (is_real(device) && device.probe.used_by_default && !device.probe.info.is_cpu()) left.push_back(&device);
    }
    while (!left.empty()) {
        const auto others = std::stable_partition(left.begin() + 1, left.end(), [&](const ListedDevice* device) {
            return same_gpu(device->probe.info, left.front()->probe.info);
        });
        const std::vector<ListedDevice*> same(left.begin(), others);
        left.erase(left.begin(), others);
        const ListedDevice& best = best_of(same, in_use);
        for (ListedDevice* device : same) {
            if (device == &best) continue;
            device->probe.used_by_default = false;
            device->probe.reason = fmt::format(
                "the same GPU as {}, which is used; name this one with -d to use it as well", best.probe.info.name);
        }
    }
}

void decide_software(std::vector<ListedDevice>& listed, const DeviceSelection& selection) {
    for (ListedDevice& device : listed) {
        Probe& probe = device.probe;
        if (!probe.usable || !probe.info.software) continue;
        const auto real_of_it = [&](const ListedDevice& other) {
            return is_real(other) && other.probe.info.backend == probe.info.backend;
        };
        probe.used_by_default =
            names_backend(selection, probe.info.backend) && std::ranges::none_of(listed, real_of_it);
        if (probe.used_by_default) {
            probe.reason.clear();
        } else if (probe.reason.empty()) {
            probe.reason = "it runs on the CPU, where the cpu backend is faster; name it with -d to use it";
        }
    }
}

/// Names are told apart whatever their case.
bool is_named(const ListedDevice& device, const std::string& wanted) {
    return ascii_lower(wanted) == ascii_lower(device.probe.info.name) ||
           (device.number && wanted == std::to_string(*device.number));
}

bool is_of_backend(const ListedDevice& device, const std::string& wanted) {
    return ascii_lower(wanted) == device.probe.info.backend;
}

bool is_wanted(const ListedDevice& device, const std::string& wanted) {
    return is_named(device, wanted) || is_of_backend(device, wanted);
}

bool has_all(const std::vector<ListedDevice>& listed, const std::vector<std::string>& wanted) {
    return std::ranges::all_of(wanted, [&](const std::string& name) {
        return std::ranges::any_of(listed, [&](const ListedDevice& device) { return is_wanted(device, name); });
    });
}

/// All of a backend that can be used: those used by default, or else those that are no software, or else any.
std::vector<ListedDevice> devices_of_backend(const std::vector<ListedDevice>& listed, const std::string& wanted) {
    std::vector<ListedDevice> usable, by_default, real;
    for (const ListedDevice& device : listed) {
        if (!is_of_backend(device, wanted) || !device.probe.usable) continue;
        usable.push_back(device);
        if (device.probe.used_by_default) by_default.push_back(device);
        if (is_real(device)) real.push_back(device);
    }
    return !by_default.empty() ? by_default : !real.empty() ? real : usable;
}

/// What to say to who asks for "gpu".
std::string gpu_hint(const std::string& wanted) {
    if (ascii_lower(wanted) != "gpu" && ascii_lower(wanted) != "gpus") return "";
    std::vector<std::string_view> names;
    for (const KnownBackend& known : kKnownBackends) {
        if (std::string_view(known.name) != kCpuBackendName) names.emplace_back(known.name);
    }
    return fmt::format("; --backend {} takes all GPUs", fmt::join(names, ","));
}

std::vector<ListedDevice> devices_named(const std::vector<ListedDevice>& listed, const std::string& wanted) {
    for (const ListedDevice& device : listed) {
        if (is_named(device, wanted) && !(is_of_backend(device, wanted) && device.probe.usable)) return {device};
    }
    if (auto all = devices_of_backend(listed, wanted); !all.empty()) return all;
    for (const ListedDevice& device : listed) {
        if (is_of_backend(device, wanted)) return {device};  // which says why it cannot be used
    }
    for (const ListedDevice& device : listed) {  // a backend that has no devices at all
        const DeviceInfo& info = device.probe.info;
        if (info.name == info.backend && wanted.starts_with(info.backend + ":"))
            throw NoDeviceError(fmt::format("device {} cannot be used: {}", quoted_text(wanted), device.probe.reason));
    }
    std::vector<std::string> known, names;
    for (const ListedDevice& device : listed) {
        if (!device.number) continue;
        known.push_back(fmt::format("{} {}", *device.number, device.probe.info.name));
        names.push_back(device.probe.info.name);
        names.push_back(device.probe.info.backend);
    }
    const std::string hint = gpu_hint(wanted);
    throw InputError(fmt::format("-d: expected names or numbers of devices ({}), or a backend, got {}{}",
                                 fmt::join(known, ", "), quoted_text(wanted),
                                 hint.empty() ? did_you_mean(wanted, names) : hint));
}

/// Every answer, in the order of ranks.
std::vector<ListedDevice> ask(Backends backends, const std::vector<const Backend*>& asked, const DeviceOptions& options,
                              std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds kTick{100};
    Probing probing(asked, options);
    std::vector<ListedDevice> listed;
    const auto add = [&](std::vector<Probing::Answer> answers) {
        for (Probing::Answer& answer : answers)
            std::ranges::move(listed_of(backends, *answer.backend, std::move(answer.probes)),
                              std::back_inserter(listed));
    };
    // Ticks, not time: a machine that sleeps, or a stopped process, is no driver that does not answer.
    for (std::chrono::milliseconds waited{0}; probing.pending();) {
        if (!probing.wait(std::min(kTick, patience))) waited += kTick;
        add(probing.take());
        if (waited >= patience) add(probing.give_up(patience));
    }
    std::ranges::sort(listed, {}, &ListedDevice::rank);
    return listed;
}

}  // namespace

bool names_backend(const DeviceSelection& selection, const std::string& backend) {
    return std::ranges::find(selection.backends, backend) != selection.backends.end();
}

void require_known(const DeviceSelection& selection) {
    for (const std::string& name : selection.backends) {
        if (name == kAuto || std::ranges::any_of(kKnownBackends, [&](const auto& known) { return name == known.name; }))
            continue;
        std::vector<std::string> names = {kAuto};
        for (const KnownBackend& known : kKnownBackends) names.emplace_back(known.name);
        const std::string hint = gpu_hint(name);
        throw InputError(fmt::format("--backend: expected {}, got {}{}", fmt::join(names, ", "), quoted_text(name),
                                     hint.empty() ? did_you_mean(name, names) : hint));
    }
}

std::vector<const Backend*> chosen_backends(Backends backends, const DeviceSelection& selection) {
    std::vector<const Backend*> result = of_algorithm(backends, selection);
    std::erase_if(result, [&](const Backend* backend) { return !chosen(selection, backend->name); });
    return result;
}

std::vector<ListedDevice> missing_backends(Backends backends, const DeviceSelection& selection) {
    std::vector<ListedDevice> missing;
    for (const KnownBackend& known : kKnownBackends) {
        const auto is_it = [&](const Backend* backend) { return std::string_view(backend->name) == known.name; };
        if (!chosen(selection, known.name) || std::ranges::any_of(of_algorithm(backends, selection), is_it)) continue;
        ListedDevice line;
        line.probe = unusable_backend(known.name, selection.algorithm == &kSha256d  // what builds may lack
                                                      ? known.why_missing
                                                      : fmt::format("it cannot compute {}", selection.algorithm->name));
        missing.push_back(std::move(line));
    }
    return missing;
}

std::vector<ListedDevice> listed_of(Backends backends, const Backend& backend, std::vector<Probe> probes) {
    constexpr unsigned kMostOfOneBackend = 1 << 16;
    const auto place = static_cast<unsigned>(std::ranges::find(backends, &backend) - backends.begin());
    std::vector<ListedDevice> listed;
    for (Probe& probe : probes) {
        const auto rank = place * kMostOfOneBackend + static_cast<unsigned>(listed.size());
        listed.push_back({{}, &backend, std::move(probe), rank});
    }
    return listed;
}

void decide_use(std::vector<ListedDevice>& listed, const DeviceSelection& selection,
                const std::set<std::string>& in_use) {
    decide_software(listed, selection);
    use_each_gpu_once(listed, in_use);
}

std::vector<ListedDevice> list_devices(Backends backends, const DeviceSelection& selection,
                                       std::chrono::milliseconds patience) {
    require_known(selection);
    const auto is_chosen = [&](const Backend* backend) { return chosen(selection, backend->name); };
    // Those after the last chosen one need not be asked; those before it count, so that numbers stay the same.
    std::vector<const Backend*> asked = of_algorithm(backends, selection);
    asked.erase(std::find_if(asked.rbegin(), asked.rend(), is_chosen).base(), asked.end());
    std::vector<ListedDevice> listed;
    unsigned number = 0;
    const auto add = [&](std::vector<ListedDevice> more) {
        for (ListedDevice& device : more) {
            device.number = number++;
            if (is_chosen(device.backend)) listed.push_back(std::move(device));
        }
    };
    std::vector<const Backend*> others;
    for (const Backend* backend : asked) {
        if (backend->is_cpu()) {  // it answers at once, and first
            add(listed_of(backends, *backend, backend->probe(selection.options)));
        } else {
            others.push_back(backend);
        }
    }
    if (selection.devices.empty() || !has_all(listed, selection.devices)) {
        add(ask(backends, others, selection.options, patience));
        decide_use(listed, selection);
        std::ranges::move(missing_backends(backends, selection), std::back_inserter(listed));
    }
    return listed;
}

std::vector<ListedDevice> find_devices(const std::vector<ListedDevice>& listed,
                                       const std::vector<std::string>& wanted) {
    std::vector<ListedDevice> found;
    for (const std::string& name : wanted) {
        for (const ListedDevice& device : devices_named(listed, name)) {
            const Probe& probe = device.probe;
            if (!probe.usable)
                throw NoDeviceError(fmt::format("device {} cannot be used: {}", probe.info.name, probe.reason));
            const auto is_it = [&](const ListedDevice& other) { return other.probe.info.name == probe.info.name; };
            if (std::ranges::none_of(found, is_it)) found.push_back(device);
        }
    }
    return found;
}

}  // namespace gpuminer
