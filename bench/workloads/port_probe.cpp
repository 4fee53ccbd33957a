#include "bench/workloads/port_probe.hpp"

#include <algorithm>

#include "bench/workloads/timing.hpp"

namespace gpuminer::bench {

const PortProbe* port_probe(std::string_view isa) {
    const std::span<const PortProbe> probes = port_probes();
    const auto found =
        std::ranges::find(probes, isa, [](const PortProbe& probe) { return std::string_view(probe.isa); });
    return found == probes.end() ? nullptr : &*found;
}

double port_rate(const PortProbe& probe) {
    constexpr long kRepetitions = 6000;
    double best = 1e9;
    for (int i = 0; i < 3; ++i) best = std::min(best, seconds_of([&] { probe.run(kRepetitions); }));
    return kProbeOperations * static_cast<double>(kRepetitions) / best;
}

}  // namespace gpuminer::bench
