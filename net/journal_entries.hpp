// Open entries of a journal: shares and blocks without a reply, which have to outlive the file that they stand in.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// A pool's shares without a reply, and the last session with each pool: what PendingShares resumes.
[[nodiscard]] std::vector<nlohmann::json> open_shares(const std::vector<nlohmann::json>& entries);

/// Blocks that no node has replied to, and those of the last two days with their replies: what BlockSubmitter resumes.
[[nodiscard]] std::vector<nlohmann::json> open_blocks(const std::vector<nlohmann::json>& entries);

/// Whether nodes that have not replied should get this block although another one has: until it is two days old.
[[nodiscard]] bool is_recent_block(const nlohmann::json& entry);

/// The entry's text of this name; empty where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& entry, const char* name);

}  // namespace gpuminer::net
