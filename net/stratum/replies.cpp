#include "net/stratum/replies.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

bool is_true(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && *found == json(true);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    const std::string lower = ascii_lower(text);
    return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// By the code, and where pools use others by their words.
RefusalKind kind_of(const StratumRefusal& refusal) {
    const auto is = [&](std::int64_t code, std::initializer_list<std::string_view> words) {
        return refusal.code == code || has_any(refusal.text, words);
    };
    if (is(22, {"duplicate"})) return RefusalKind::kDuplicate;
    if (is(21, {"stale", "job not found", "unknown job", "invalid job"})) return RefusalKind::kStale;
    if (is(23, {"low difficulty", "above target", "low diff", "high-hash"})) return RefusalKind::kLowDifficulty;
    if (is(24, {"unauthorized", "unauthorised", "not authorized"})) return RefusalKind::kUnauthorised;
    return RefusalKind::kOther;
}

}  // namespace

ConfigureReply read_configure_reply(const StratumMessage& reply) {
    ConfigureReply granted;
    const json& result = reply.result;
    if (reply.refusal || !result.is_object()) return granted;
    granted.subscribe_extranonce = is_true(result, "subscribe-extranonce");
    granted.version_rolling = is_true(result, "version-rolling");
    if (granted.version_rolling) {
        granted.version_mask = read_mask(result.value("version-rolling.mask", json())).value_or(0);
    }
    return granted;
}

std::string session_id(const json& subscriptions) {
    constexpr std::size_t kLongest = 256;
    const auto id_of = [](const json& pair) -> std::string {
        if (!pair.is_array() || pair.size() < 2 || pair[0] != json("mining.notify") || !pair[1].is_string()) return {};
        return pair[1].get<std::string>();
    };
    std::string id = id_of(subscriptions);
    if (id.empty() && subscriptions.is_array()) {
        for (const json& pair : subscriptions) {
            if (id.empty()) id = id_of(pair);
        }
    }
    return id.size() <= kLongest ? id : std::string();
}

ShareReply read_share_reply(const StratumMessage& reply) {
    ShareReply read;
    if (!reply.refusal) {
        read.verdict = SubmitVerdict::kAccepted;
        return read;
    }
    const StratumRefusal& refusal = *reply.refusal;
    read.code = refusal.code;
    read.reason = refusal.sentence();
    read.kind = kind_of(refusal);
    read.verdict = read.kind == RefusalKind::kStale ? SubmitVerdict::kStale : SubmitVerdict::kRejected;
    return read;
}

}  // namespace gpuminer::net
