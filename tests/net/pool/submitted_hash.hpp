// The measure by which the tests' pools judge shares: the hash of a share's header, and its difficulty.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"

namespace gpuminer::test {

/// The header is put together as the protocol's description says, from the parameters of mining.notify and of
/// mining.submit, with this version.
[[nodiscard]] Hash256 submitted_hash(const nlohmann::json& notify, std::uint32_t version,
                                     const std::string& extranonce1, const nlohmann::json& submit);

/// From the leading 64 bits: near enough for a judge.
[[nodiscard]] double difficulty_of_hash(const Hash256& hash);

}  // namespace gpuminer::test
