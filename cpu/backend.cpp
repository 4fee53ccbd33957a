#include "cpu/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/form_choice.hpp"
#include "cpu/isa.hpp"
#include "cpu/thread_device.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"

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

std::vector<Probe> probe(const DeviceOptions& options) {
    const cpu::Isa& form = choose_form(options);
    return cpu::thread_probes(options, form.name, form.description);
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
