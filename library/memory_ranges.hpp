// Checks of memory that a caller names: null pointers, sizes, overlaps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "library/include/gpuminer.h"

namespace gpuminer::library {

/// `count` items of `item` bytes (not 0) at `data`.
class MemoryRange {
public:
    MemoryRange(const void* data, std::size_t count, std::size_t item) noexcept
        : begin_(reinterpret_cast<std::uintptr_t>(data)),
          error_(count == 0                              ? GM_OK
                 : data == nullptr                       ? GM_ERROR_NULL
                 : count > (UINTPTR_MAX - begin_) / item ? GM_ERROR_SIZE
                                                         : GM_OK),
          end_(error_ == GM_OK ? begin_ + count * item : begin_) {}

    [[nodiscard]] gm_error error() const noexcept { return error_; }
    [[nodiscard]] bool overlaps(const MemoryRange& other) const noexcept {
        return begin_ != end_ && other.begin_ != other.end_ && begin_ < other.end_ && other.begin_ < end_;
    }

private:
    std::uintptr_t begin_;
    gm_error error_;
    std::uintptr_t end_;
};

/// What is to be written at `out`, from what is read at `in`.
[[nodiscard]] inline gm_error check_ranges(const MemoryRange& out, const MemoryRange& in) noexcept {
    if (out.error() != GM_OK) return out.error();
    if (in.error() != GM_OK) return in.error();
    return out.overlaps(in) ? GM_ERROR_OVERLAP : GM_OK;
}

}  // namespace gpuminer::library
