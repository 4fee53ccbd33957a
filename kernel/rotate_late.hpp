// The search program adapted to GPUs: rotations that are part of an addition.
#pragma once

#include "kernel/program.hpp"

namespace gpuminer::kernel {

/// Σ0 and Σ1 of FIPS 180-4, rotr(x, a) ^ rotr(x, b) ^ rotr(x, c) with a the smallest, become rotr(y, a) of
/// y = x ^ rotr(x, b - a) ^ rotr(x, c - a), and the addition that takes the result rotates y as well (Op::kAddRotr).
/// That is as many operations, but NVIDIA's GPUs have one instruction (LEA.HI) for the addition and the rotation.
[[nodiscard]] Program rotate_late(Program program);

}  // namespace gpuminer::kernel
