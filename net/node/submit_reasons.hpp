// Replies of nodes to a block (BIP 22): the verdict, and the reason in the node's words and in a sentence for people.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "net/submit_verdict.hpp"

namespace gpuminer::net {

/// A node's reply to a block.
struct BlockReply {
    SubmitVerdict verdict = SubmitVerdict::kRejected;
    std::string reason;  ///< in the node's words, printable and not long; empty where it accepted at once
    std::string words;   ///< the same for people; empty where it accepted

    [[nodiscard]] RefusalKind kind() const;
};
/// From submitblock's result (BIP 22): null, or a reason.
[[nodiscard]] BlockReply judge_submit_result(const nlohmann::json& result);

}  // namespace gpuminer::net
