// Instruction rates of a CUDA multiprocessor in lanes per cycle, as bench/tools/sass_count.py assumes them.
#pragma once

#include <string>
#include <vector>

namespace gpuminer::bench {

struct PipeRate {
    std::string name;      ///< "SHF", "SHF + IMAD" (one of each in turn)
    std::string question;  ///< what the figure decides
    double lanes;          ///< per cycle and multiprocessor: the median over the multiprocessors and repetitions
    double lowest, highest;
    double clock_mhz;  ///< at which the multiprocessors ran meanwhile
};

/// One entry for each instruction or pair, in a fixed order. Throws std::runtime_error where CUDA reports an error.
[[nodiscard]] std::vector<PipeRate> measure_pipe_rates(int device, int repetitions);

}  // namespace gpuminer::bench
