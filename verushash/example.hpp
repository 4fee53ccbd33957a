// Made headers of Verus, for self-tests, the benchmark, and users' first trials.
#pragma once

#include "verushash/block.hpp"

namespace gpuminer::verushash {

inline constexpr const char* kExampleName = "example";

/// Of solution version 7 with one chain, which is another's, so that all of it is hashed; its other bytes are a
/// pattern, its target an easy one.
[[nodiscard]] Header example_header();
/// The same, listed among the chains itself, so that its canonical form is hashed.
[[nodiscard]] Header merged_example_header();

}  // namespace gpuminer::verushash
