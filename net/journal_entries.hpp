// What the entries of a journal say is still open, so that it outlives the file that they are in.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

namespace gpuminer::net {

/// A pool's shares without an answer, and the last session with each pool: what PendingShares takes up again.
[[nodiscard]] std::vector<nlohmann::json> open_shares(const std::vector<nlohmann::json>& entries);

/// Blocks that no node has answered, and those of the last days with their answers: what BlockSubmitter takes up again.
[[nodiscard]] std::vector<nlohmann::json> open_blocks(const std::vector<nlohmann::json>& entries);

/// Is it a block that a node which has not answered should get, although another one has? Not after two days.
[[nodiscard]] bool is_recent_block(const nlohmann::json& entry);

/// The entry's text of this name; empty where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& entry, const char* name);

}  // namespace gpuminer::net
