#include "bench/workloads/gpu_limits.hpp"

#include <nlohmann/json.hpp>

#include "gpuminer_sass_counts.hpp"

namespace gpuminer::bench {

GpuLimits::GpuLimits() {
    const auto document = nlohmann::json::parse(kSassCounts);
    for (const auto& [name, counts] : document.at("kernels").items())
        cycles_per_hash_[name] = counts.at("cycles").get<double>();
}

double GpuLimits::hashes_per_second(const DeviceInfo& info, const gpu::KernelVariant& variant, bool rolled) const {
    const auto found = cycles_per_hash_.find((info.code.starts_with("PTX") ? "ptx " : "") + info.kind +
                                             (rolled ? " rolled " : " fixed ") + std::string(name_of(variant.mix)));
    if (found == cycles_per_hash_.end()) return 0;
    return info.units * (info.clock_mhz * 1e6) / found->second;
}

}  // namespace gpuminer::bench
