#include "bench/workloads/workload_list.hpp"

#include <algorithm>

#include "host/block/algorithm.hpp"

namespace gpuminer::bench {

std::string title_of(const Workload& workload) {
    const Algorithm* const algorithm = workload.algorithm;
    if (algorithm == nullptr || algorithm == &kSha256d) return workload.name;
    return std::string(workload.name) + " (" + algorithm->name + ")";
}

std::vector<std::string> workload_names() {
    std::vector<std::string> names;
    for (const Workload& workload : workloads()) {
        if (std::ranges::find(names, workload.name) == names.end()) names.emplace_back(workload.name);
    }
    return names;
}

bool is_workload(std::string_view name) {
    return name == kAllWorkloads ||
           std::ranges::any_of(workloads(), [&](const Workload& workload) { return name == workload.name; });
}

}  // namespace gpuminer::bench
