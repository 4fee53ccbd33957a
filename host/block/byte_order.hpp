// Hints for the classic mistake, bytes in the wrong order.
#pragma once

#include <string>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

/// Where a header makes no sense as it is (its nBits are no target, or its time is before Bitcoin's) but does in
/// another order of its bytes, a sentence that says which: "with the bytes of each 4-byte word swapped it would …".
/// Empty otherwise.
[[nodiscard]] std::string byte_order_hint(const BlockHeader& header);

/// Where hardly any hash ever met the target, and its reversed bytes are a usual one: a sentence. Empty otherwise.
[[nodiscard]] std::string byte_order_hint(const Hash256& target);

}  // namespace gpuminer
