// Shares on their way out, and what the pool says to them.
#include <algorithm>
#include <charconv>
#include <initializer_list>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "net/stratum/session.hpp"
#include "net/stratum/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kMostUnanswered = 100'000;  // of a pool that never answers

bool has_any(std::string text, std::initializer_list<std::string_view> words) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

std::optional<std::uint32_t> read_mask(const json& value) {
    if (!value.is_string()) return std::nullopt;
    const auto& digits = value.get_ref<const std::string&>();
    std::uint32_t mask = 0;
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, mask, 16);
    if (digits.size() > 8 || error != std::errc() || stopped != end) return std::nullopt;
    return mask;
}

std::string quoted_json(const json& value) {
    return quoted_text(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

ShareReply answer_of(const StratumMessage& reply) {
    ShareReply answer;
    answer.accepted = !reply.refusal;
    if (answer.accepted) return answer;
    const StratumRefusal& refusal = *reply.refusal;
    answer.code = refusal.code;
    answer.reason = refusal.sentence();
    answer.duplicate = refusal.code == 22 || has_any(refusal.text, {"duplicate"});
    answer.stale =
        !answer.duplicate &&
        (refusal.code == 21 || has_any(refusal.text, {"stale", "job not found", "unknown job", "invalid job"}));
    return answer;
}

Submitted StratumSession::assess(const StratumShare& share, bool again) const {
    if (!ready()) return Submitted::kNotYet;
    if (sent_.contains(share.hash)) return Submitted::kDuplicate;
    const bool known = std::find(valid_jobs_.begin(), valid_jobs_.end(), share.job_id) != valid_jobs_.end();
    return known || again || share.solves_block ? Submitted::kSent : Submitted::kStale;
}

Submission StratumSession::submit(const StratumShare& share, SteadyTime now, bool again) {
    now_ = now;
    const Submitted outcome = assess(share, again);
    if (outcome != Submitted::kSent) return {outcome, 0};
    json params = {options_.user, share.job_id, share.extranonce2, fmt::format("{:08x}", share.time),
                   fmt::format("{:08x}", share.nonce)};
    // A pool that has granted version rolling wants the bits of every share, even where there are none.
    if (rolling_ || share.version_bits != 0) params.push_back(fmt::format("{:08x}", share.version_bits));
    const std::uint64_t id = next_id_;
    sent_.insert(share.hash);
    shares_.insert(id);
    if (shares_.size() > kMostUnanswered) shares_.erase(shares_.begin());
    request("mining.submit", params);
    return {Submitted::kSent, id};
}

}  // namespace gpuminer::net
