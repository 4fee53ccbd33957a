// The independent check of the candidates that devices return: SHA-256d by OpenSSL, without any code of kernel/; other
// algorithms as host/block/algorithm.hpp says.
#pragma once

#include <cstdint>
#include <span>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

/// SHA-256 of SHA-256, display order (the digest's bytes reversed). FIPS 180-4 by OpenSSL.
[[nodiscard]] Hash256 double_sha256(std::span<const std::uint8_t> data);

enum class Verdict {
    hit,        ///< hash <= target
    near_miss,  ///< top words agree, but hash > target: the device did its duty, there is no hit
    wrong,      ///< the hash does not pass the target's top word: the device computed wrongly
};

struct Checked {
    Verdict verdict = Verdict::wrong;
    Hash256 hash;
};

/// `header` with the candidate's version and nonce in place.
[[nodiscard]] Checked check(const BlockHeader& header, const Hash256& target);

}  // namespace gpuminer
