// The list of workloads: names, descriptions and defaults, without what it takes to run them.
#pragma once

#include <span>
#include <string_view>

namespace gpuminer::bench {

struct Rows;
struct Setting;

/// So many that the document of all workloads can still be read (read_document()).
inline constexpr unsigned kMostRounds = 5'000;

struct Workload {
    const char* name;
    const char* description;  ///< for --help
    unsigned rounds;          ///< by default
    double round_seconds;     ///< by default
    bool warm_up;             ///< a first round that does not count
    bool part_of_all;         ///< of what "all" stands for
    Rows (*prepare)(const Setting&);
};

/// All of them, in the order of the report.
[[nodiscard]] std::span<const Workload> workloads();
/// The name that stands for most of them.
inline constexpr const char* kAllWorkloads = "all";
/// Whether it is the name of one, or "all".
[[nodiscard]] bool is_workload(std::string_view name);

}  // namespace gpuminer::bench
