// Execution of workloads: warm-up, rounds in turns, verification, progress; the result is a document.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/document/document.hpp"
#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

struct RunActions {
    /// Before each round: the share of the run that is done (0 … 1), and what is measured now ("scan: cpu:avx512#0").
    std::function<void(double done, const std::string& what)> progress;
    std::function<void(const std::string& sentence)> note;     ///< what a workload leaves out, and why
    std::function<void(const std::string& sentence)> warning;  ///< a device that failed, figures that may be wrong
    /// A workload is finished: its measurements, and its own text.
    std::function<void(const Workload& workload, const std::vector<Measurement>& measurements, const std::string& text)>
        finished;
};

/// Throws InputError if a name is not that of a workload for this algorithm.
void require_workloads(const std::vector<std::string>& names, const Algorithm& algorithm);

/// Throws InputError for a workload that does not exist, NoDeviceError. A failed verification ends the run; the
/// document says so. Another error does, too, where something was measured before; a note says why.
[[nodiscard]] Document run(const Options& options, Backends backends, const std::stop_token& stop,
                           const RunActions& actions);

}  // namespace gpuminer::bench
