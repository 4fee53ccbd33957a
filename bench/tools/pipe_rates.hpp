// Instruction rates of a CUDA multiprocessor in lanes per cycle, as bench/tools/sass_count.py assumes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuminer::bench {

// The kernels' shape, which pipe_rates.cu and pipe_rates.cpp share.
inline constexpr int kPipeThreads = 1024;
inline constexpr int kPipeChains = 12;
inline constexpr int kPipeStepsPerRound = 12;
inline constexpr int kPipeRounds = 512;

struct PipeRate {
    std::string name;      ///< "SHF", "SHF + IMAD" (one of each in turn)
    std::string question;  ///< what the figure decides
    double lanes;          ///< per cycle and multiprocessor: the median over the multiprocessors and repetitions
    double lowest, highest;
    double clock_mhz;  ///< at which the multiprocessors ran meanwhile
};

/// One entry for each instruction or pair, in a fixed order, of CUDA's device of this number. Throws DeviceError.
[[nodiscard]] std::vector<PipeRate> measure_pipe_rates(unsigned device, int repetitions);

}  // namespace gpuminer::bench
