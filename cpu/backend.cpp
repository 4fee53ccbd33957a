#include "cpu/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cpu/cpu_model.hpp"
#include "cpu/device.hpp"
#include "cpu/form_choice.hpp"
#include "cpu/isa.hpp"
#include "cpu/topology.hpp"
#include "host/block/suggestion.hpp"
#include "host/block/text.hpp"

namespace gpuminer {
namespace {

std::vector<std::string> isa_names() {
    std::vector<std::string> names = {"auto"};
    for (const cpu::Isa& isa : cpu::isas()) names.emplace_back(isa.name);
    return names;
}

/// The forms that --isa allows and this CPU can run; never empty.
std::vector<const cpu::Isa*> allowed_forms(const std::string& text) {
    std::vector<const cpu::Isa*> forms = cpu::usable_forms(text, cpu::detect_features());
    if (!forms.empty()) return forms;
    const std::string name = text.substr(0, text.find(':'));
    const cpu::Isa* const isa = cpu::find_isa(name);
    if (isa == nullptr) {
        const std::vector<std::string> names = isa_names();
        throw InputError(fmt::format("expected one of {} as --isa, got {}{}", fmt::join(names, ", "), quoted_text(text),
                                     did_you_mean(text, names)));
    }
    const auto count = std::ranges::count(cpu::isa_forms(), name, &cpu::Isa::name);
    if (text != name && cpu::usable(*isa, cpu::detect_features()))
        throw InputError(
            fmt::format("--isa: expected a form of {} by its number, 1 to {}, got {}", name, count, quoted_text(text)));
    throw NoDeviceError("--isa " + name + " cannot run here: " + isa->missing);
}

const cpu::Isa& choose_form(const DeviceOptions& options) {
    const std::vector<const cpu::Isa*> forms = allowed_forms(options.isa);
    if (forms.size() == 1) return *forms.front();
    return cpu::fastest_of(forms, cpu::form_rates(options.form_choice, options.retune));
}

/// Operating-system numbers of the hardware threads to use or to list, in order.
std::vector<unsigned> choose_threads(const DeviceOptions& options) {
    std::vector<unsigned> usable = cpu::usable_hardware_threads();
    if (options.cpu_affinity.empty()) return usable;
    for (const unsigned wanted : options.cpu_affinity) {
        if (std::find(usable.begin(), usable.end(), wanted) != usable.end()) continue;
        std::string numbers;
        for (const unsigned number : usable) numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
        throw InputError("--cpu-affinity takes hardware threads that this process may use (" + numbers + "), not " +
                         std::to_string(wanted));
    }
    return options.cpu_affinity;
}

std::vector<Probe> probe(const DeviceOptions& options) {
    const cpu::Isa& form = choose_form(options);
    const std::vector<unsigned> threads = choose_threads(options);
    const auto available = static_cast<unsigned>(threads.size());
    const unsigned by_default = options.threads                ? *options.threads
                                : options.cpu_affinity.empty() ? cpu::default_thread_count(available)
                                                               : available;
    const std::string model = cpu::cpu_model();
    std::vector<Probe> probes;
    for (unsigned i = 0; i < std::max(available, by_default); ++i) {  // more threads than hardware: they share
        Probe probe;
        probe.info.backend = kCpuBackendName;
        probe.info.kind = form.name;
        probe.info.name = device_name(kCpuBackendName, form.name, i);
        probe.info.model = model;
        probe.info.description = form.description;
        probe.used_by_default = i < by_default;
        if (!probe.used_by_default) probe.reason = "left free for the system; use -t or -d to use it as well";
        probe.index = threads[i % available];
        probes.push_back(std::move(probe));
    }
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions& options) {
    const cpu::Isa* const form = cpu::find_form(probe.info.kind, probe.info.description);
    if (form == nullptr) throw DeviceError("there is no CPU device " + probe.info.name);
    std::vector<const cpu::Isa*> others;
    if (options.form_choice == FormChoice::kWatched) {
        others = allowed_forms(options.isa);
        std::erase(others, form);
    }
    return cpu::make_device(*form, probe.info, probe.index, options, std::move(others));
}

}  // namespace

const Backend kCpuBackend{kCpuBackendName.data(), probe, open};

}  // namespace gpuminer
