// `gpuminer verify`: one header, its fields, its hash, and whether the hash meets the target.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

struct Verification {
    BlockHeader header;
    Hash256 hash;
    Hash256 target;
    bool target_given = false;  ///< false: the target is that of the header's nBits
    bool valid = false;         ///< hash <= target
};

/// `target`: instead of the header's nBits. Throws InputError when the header has no nonce (152 digits), or
/// its nBits are needed and no target.
[[nodiscard]] Verification verify_header(const HeaderInput& input, const std::optional<Hash256>& target);

/// One line for each field, the hash, the target and the result.
[[nodiscard]] std::string verify_text(const Verification& verification);
/// valid, hash, target, target_source ("nbits" or "given"), difficulty of the target (null for a zero
/// target), leading_zero_bits of the hash, header (see header_json).
[[nodiscard]] nlohmann::ordered_json verify_json(const Verification& verification);

}  // namespace gpuminer
