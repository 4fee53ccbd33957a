#include "baremetal/forms.hpp"

namespace gpuminer::baremetal {

const cpu::Isa* choose_isa(const Console& console, const Config& config) {
    const cpu::Features features = cpu::detect_features();
    const bool is_auto = Text(config.isa) == "auto";
    const cpu::Isa* chosen = nullptr;
    for (const cpu::Isa& form : cpu::kIsaForms) {
        if (!is_auto && !(Text(form.name) == Text(config.isa))) continue;
        if (!is_auto && !usable(form, features)) {
            Line line;
            console.line(
                line.add("error: gpuminer.cfg: isa ").add(form.name).add(" cannot run here: ").add(form.missing));
            return nullptr;
        }
        if (!is_auto) return &form;
        if (usable(form, features) && (chosen == nullptr || !(Text(chosen->name) == Text(form.name)))) chosen = &form;
    }
    return chosen;
}

void time_forms(Worker& worker, FormTiming& timing) {
    constexpr int kRounds = 5;
    if (&worker != timing.worker) return;
    timing.cycles = ~std::uint64_t{0};
    for (int round = 0; round < kRounds; ++round) {
        for (const cpu::Isa& form : cpu::kIsaForms) {
            if (!(Text(form.name) == Text(timing.chosen->name)) || !usable(form, cpu::detect_features())) continue;
            const std::uint64_t cycles = time_form(worker, timing.job, form, FormTiming::kNonces);
            if (cycles < timing.cycles) timing.cycles = cycles, timing.fastest = &form;
        }
    }
}

}  // namespace gpuminer::baremetal
