#include "bench/options.hpp"

#include <cstdio>
#include <cstdlib>

namespace gpuminer::bench {

Options parse_options(int argc, const char* const* argv, const char* usage) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--quick") {
            options.quick = true;
        } else if (argument == "--json") {
            options.json = true;
        } else if (argument == "--help" || argument == "-h") {
            std::printf(
                "%s\n"
                "  --quick                       few repetitions, to see that it works\n"
                "  --json                        one JSON document instead of the table\n"
                "  --benchmark_filter=REGEX      only the rows whose names match\n"
                "  --benchmark_repetitions=N     rounds; the table shows medians and quantiles over them\n"
                "  --benchmark_out=FILE          every single measurement, as Google Benchmark writes it\n",
                usage);
            std::exit(EXIT_SUCCESS);
        } else {
            options.others.push_back(argument);
        }
    }
    return options;
}

}  // namespace gpuminer::bench
