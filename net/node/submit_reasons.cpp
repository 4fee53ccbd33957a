#include "net/node/submit_reasons.hpp"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

struct Reason {
    std::string_view begins;
    SubmitVerdict verdict;
    const char* words;
};

constexpr auto kAccepted = SubmitVerdict::kAccepted;
constexpr auto kStale = SubmitVerdict::kStale;
constexpr auto kRejected = SubmitVerdict::kRejected;

// Bitcoin Core's and btcd's words (BIP 22), the longer before the shorter that they begin with.
constexpr Reason kReasons[] = {
    {"duplicate-invalid", kRejected, "the node already knows the block and considers it invalid"},
    {"duplicate-inconclusive", kStale, "the node already knows the block, outside its best chain"},
    {"duplicate", kAccepted, ""},
    {"already have block (orphan)", kStale, "the node does not know its previous block"},
    {"already have block", kAccepted, ""},
    {"inconclusive", kStale, "the block is valid, but another block came first"},
    {"prev-blk-not-found", kStale, "the node does not know its previous block"},
    {"stale-prevblk", kStale, "another block came first"},
    {"stale-work", kStale, "another block came first"},
    {"bad-prevblk", kRejected, "its previous block is invalid"},
    {"high-hash", kRejected, "its hash is above the target"},
    {"bad-txnmrklroot", kRejected, "its merkle root does not match its transactions"},
    {"bad-txns", kRejected, "one of its transactions is invalid"},
    {"time-too-new", kRejected, "its time is too far in the future; are the clocks of both computers right?"},
    {"time-too-old", kRejected, "its time is before that of the previous blocks"},
    {"time-timewarp-attack", kRejected, "its time is too far before that of its previous block"},
    {"bad-time", kRejected, "its time is invalid"},
    {"bad-diffbits", kRejected, "the network requires another difficulty at its time"},
    {"bad-version", kRejected, "its version is too old for the network"},
    {"bad-cb-amount", kRejected, "its coinbase pays more than subsidy and fees"},
    {"bad-cb-value", kRejected, "its coinbase pays more than subsidy and fees"},
    {"bad-cb-height", kRejected, "its coinbase does not name the block's height"},
    {"bad-cb-length", kRejected, "the input script of its coinbase is too short or too long"},
    {"bad-cb", kRejected, "its coinbase is invalid"},
    {"bad-witness", kRejected, "its witness commitment is wrong"},
    {"unexpected-witness", kRejected, "it has witnesses, but no commitment to them"},
    {"bad-signet-blksig", kRejected, "it lacks the signature that this signet requires"},
    {"bad-blk", kRejected, "it is too large"},
    {"Block decode failed", kRejected, "the node cannot read it"},
    {"rejected", kRejected, "the node gives no reason"},
};

}  // namespace

RefusalKind BlockReply::kind() const {
    if (verdict == kStale) return RefusalKind::kStale;
    if (reason.find("high-hash") != std::string::npos) return RefusalKind::kLowDifficulty;
    return reason.find("duplicate") != std::string::npos ? RefusalKind::kDuplicate : RefusalKind::kOther;
}

BlockReply judge_submit_result(const nlohmann::json& result) {
    if (result.is_null()) return {SubmitVerdict::kAccepted, "", ""};
    if (!result.is_string()) {
        return {SubmitVerdict::kRejected, "rejected", "the node's reply to the block is neither null nor a text"};
    }
    const auto& text = result.get_ref<const std::string&>();
    std::string shown = quoted_text(text, 160);
    shown = shown.substr(1, shown.size() - 2);
    std::string_view word = text;
    constexpr std::string_view kPrefix = "rejected: ";  // btcd's
    if (word.starts_with(kPrefix)) word.remove_prefix(kPrefix.size());
    const auto* const known = std::find_if(std::begin(kReasons), std::end(kReasons),
                                           [&](const Reason& r) { return word.starts_with(r.begins); });
    if (known == std::end(kReasons)) return {SubmitVerdict::kRejected, shown, "the node says: " + shown};
    return {known->verdict, shown, known->words};
}

}  // namespace gpuminer::net
