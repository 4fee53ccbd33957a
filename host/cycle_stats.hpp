// Cycles per hash, measured slice by slice. Needs no library: baremetal/ has none.
#pragma once

#include <cstdint>

namespace gpuminer {

/// Reference cycles (rdtscp) per hash, measured over slices of a scan. Only CPU devices have them.
struct CycleStats {
    std::uint64_t cycles = 0;
    std::uint64_t hashes = 0;
    double min_per_hash = __builtin_inf();
    double max_per_hash = 0;

    [[nodiscard]] bool empty() const { return hashes == 0; }
    [[nodiscard]] double avg_per_hash() const { return static_cast<double>(cycles) / static_cast<double>(hashes); }
    void add_slice(std::uint64_t slice_cycles, std::uint64_t slice_hashes) {
        if (slice_hashes == 0) return;
        const double per_hash = static_cast<double>(slice_cycles) / static_cast<double>(slice_hashes);
        merge({slice_cycles, slice_hashes, per_hash, per_hash});
    }
    void merge(const CycleStats& other) {
        cycles += other.cycles;
        hashes += other.hashes;
        if (other.min_per_hash < min_per_hash) min_per_hash = other.min_per_hash;
        if (other.max_per_hash > max_per_hash) max_per_hash = other.max_per_hash;
    }
};

}  // namespace gpuminer
