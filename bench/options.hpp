// What the command lines of the benchmark programs have in common.
#pragma once

#include <string>
#include <vector>

namespace gpuminer::bench {

struct Options {
    bool quick = false;  ///< few repetitions: to see that it works
    bool json = false;
    std::vector<std::string> others;  ///< for Google Benchmark: --benchmark_filter=REGEX, --benchmark_repetitions=N, …
};

/// Takes --quick and --json; --help prints `usage` and ends the program.
[[nodiscard]] Options parse_options(int argc, const char* const* argv, const char* usage);

}  // namespace gpuminer::bench
