// A histogram of the slices of a search that took longer than usual. Needs no library: baremetal/ has none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuminer {

/// Sorts slices by how much longer they took than the median of the 1,023 around them, in cycles per hash: a clock that
/// rises or falls slowly is no interruption. One thread's; of several, the counts are merged.
class Interruptions {
public:
    static constexpr double kFrom[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};  ///< seconds, each up to the next
    static constexpr std::size_t kRows = sizeof(kFrom) / sizeof(kFrom[0]);
    struct Row {
        std::uint64_t slices = 0;
        double seconds = 0;  ///< by which they took longer, all together
    };
    using Rows = std::array<Row, kRows>;

    /// Forgets what was before. `counter_hz`: cycles per second. Without this call nothing is counted.
    void begin(double counter_hz) {
        counter_hz_ = counter_hz;
        size_ = 0;
        rows_ = {};
    }
    void add_slice(std::uint64_t cycles, std::uint64_t hashes) {
        if (hashes == 0 || counter_hz_ == 0) return;
        window_[size_++] = {static_cast<double>(cycles) / static_cast<double>(hashes), static_cast<double>(hashes)};
        if (size_ == kWindow) finish();
    }

    /// Counts the slices since the last whole window: to be called at the end.
    void finish() {
        if (size_ == 0) return;
        sort();
        const double median = window_[size_ / 2].per_hash;
        for (std::size_t i = size_ / 2; i < size_; ++i)
            count((window_[i].per_hash - median) * window_[i].hashes / counter_hz_);
        size_ = 0;
    }

    [[nodiscard]] const Rows& rows() const { return rows_; }

private:
    static constexpr std::size_t kWindow = 1023;
    struct Slice {
        double per_hash, hashes;
    };

    /// By Shell's method: some ten thousand steps, once in a thousand slices, off their clock.
    void sort() {
        constexpr std::size_t kGaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
        for (const std::size_t gap : kGaps) {
            for (std::size_t i = gap; i < size_; ++i) {
                const Slice slice = window_[i];
                std::size_t at = i;
                for (; at >= gap && window_[at - gap].per_hash > slice.per_hash; at -= gap)
                    window_[at] = window_[at - gap];
                window_[at] = slice;
            }
        }
    }
    void count(double seconds) {
        for (std::size_t i = kRows; i-- > 0;) {
            if (seconds < kFrom[i]) continue;
            ++rows_[i].slices;
            rows_[i].seconds += seconds;
            return;
        }
    }

    double counter_hz_ = 0;
    std::size_t size_ = 0;
    std::array<Slice, kWindow> window_{};
    Rows rows_{};
};

/// Adds the counts of another thread.
inline void merge(Interruptions::Rows& rows, const Interruptions::Rows& others) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].slices += others[i].slices;
        rows[i].seconds += others[i].seconds;
    }
}

}  // namespace gpuminer
