// The workload `input`: what a clock shows that covers the input besides the work, beside the right figure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>

#include "bench/workloads/workload.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer::bench {

/// What is read and hashed. Tests take less of it, and a delay and a hash of their own.
struct InputAmounts {
    std::size_t few = 1'000'000;    ///< bytes for the slow ways: one at a time, from a pipe
    std::size_t many = 64'000'000;  ///< for the others
    /// What the late writer does first, on its thread.
    std::function<void()> delay = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    std::function<Digest(std::span<const std::uint8_t>)> hash = double_sha256_digest;
};

/// A row for each way to get the bytes: ns per byte of input and double SHA-256 together. In each round every way must
/// have brought the same bytes, else it throws VerificationError. Where there is no memory for them: a note, no rows.
[[nodiscard]] Rows input_rows(const Setting& setting, const InputAmounts& amounts);

}  // namespace gpuminer::bench
