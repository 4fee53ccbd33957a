// The workload `os`: times of the operating system's primitives.
#pragma once

#include <cstddef>

#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

/// How many of each make a round; by default as many as in the osbench suite.
struct OsAmounts {
    std::size_t threads = 100;
    std::size_t processes = 100;
    std::size_t programs = 100;
    std::size_t files = 65'536;  ///< at most, and for a quarter of a second
    std::size_t blocks = 1'000'000;
};

/// A row for each primitive that the system allows so many of; a note for each other.
[[nodiscard]] Rows os_rows(const Setting& setting, const OsAmounts& amounts);

}  // namespace gpuminer::bench
