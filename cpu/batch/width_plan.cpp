#include "cpu/batch/width_plan.hpp"

#include <array>

namespace gpuminer::cpu {

WidthPlan::WidthPlan(std::span<const TimedWidth> kernels) {
    const auto per_input = [](const TimedWidth& kernel) { return kernel.seconds / static_cast<double>(kernel.width); };
    const auto bulk = std::min_element(kernels.begin(), kernels.end(), [&](const TimedWidth& x, const TimedWidth& y) {
        return per_input(x) < per_input(y);
    });
    set(0, static_cast<std::size_t>(bulk - kernels.begin()));
    // The best way for n inputs: a group of some kernel, then the best way for what it leaves.
    std::array<double, kWidest> best{};
    for (std::size_t left = 1; left < bulk->width; ++left) {
        best[left] = std::numeric_limits<double>::infinity();
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const double seconds = kernels[i].seconds + best[left - std::min(left, kernels[i].width)];
            if (seconds < best[left]) {
                best[left] = seconds;
                chosen = i;
            }
        }
        set(left, chosen);
    }
}

}  // namespace gpuminer::cpu
