// The measure by which the tests' pools judge shares: the hash of a share's header, and its difficulty.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"

namespace gpuminer::test {

/// The header is put together as the protocol's description says, from the parameters of mining.notify and of
/// mining.submit, with this version.
[[nodiscard]] Hash256 submitted_hash(const nlohmann::json& notify, std::uint32_t version,
                                     const std::string& extranonce1, const nlohmann::json& submit);

// Parts of that header, as they stand in it.
[[nodiscard]] Bytes merkle_root(const nlohmann::json& notify, const std::string& extranonce);  ///< both of them
[[nodiscard]] Bytes previous_hash(const nlohmann::json& notify);

/// From the leading 64 bits: near enough for a judge.
[[nodiscard]] double difficulty_of_hash(const Hash256& hash);

}  // namespace gpuminer::test
