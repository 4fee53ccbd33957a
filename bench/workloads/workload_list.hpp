// The list of workloads: names, descriptions and defaults, without the code that runs them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuminer {
struct Algorithm;  // host/block/algorithm.hpp
}

namespace gpuminer::bench {

struct Rows;
struct Setting;

/// So many that the document of all workloads can still be read (read_document()).
inline constexpr unsigned kMostRounds = 5'000;

struct Workload {
    const char* name;            ///< there may be one of it for each algorithm
    const Algorithm* algorithm;  ///< null: any
    const char* description;     ///< for --help
    unsigned rounds;             ///< by default
    double round_seconds;        ///< by default
    bool warm_up;                ///< a first round that does not count
    bool part_of_all;            ///< of what "all" stands for
    Rows (*prepare)(const Setting&);
};

/// All of them, in the order of the report.
[[nodiscard]] std::span<const Workload> workloads();
/// The name that stands for most of them.
inline constexpr const char* kAllWorkloads = "all";
/// "scan"; "ladder (verushash)" where it is for another algorithm than the program's first.
[[nodiscard]] std::string title_of(const Workload& workload);
/// Each name once.
[[nodiscard]] std::vector<std::string> workload_names();
/// Whether it is the name of one, or "all".
[[nodiscard]] bool is_workload(std::string_view name);

}  // namespace gpuminer::bench
