#include "net/stratum/replies.hpp"

#include <cstddef>
#include <string>
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

struct Words {
    std::string_view part;  // lower case, without blanks, '-' and '_'
    RefusalKind kind;
};

// The first that is part of a refusal's text decides. Those without a name are said by most pools.
constexpr Words kWords[] = {
    {"duplicate", RefusalKind::kDuplicate},
    {"alreadysubmitted", RefusalKind::kDuplicate},
    {"stale", RefusalKind::kStale},
    {"jobnotfound", RefusalKind::kStale},
    {"unknownjob", RefusalKind::kStale},
    {"unknownwork", RefusalKind::kStale},  // eloipool, DATUM
    {"invalidjob", RefusalKind::kStale},   // ckpool, yiimp, Stratum V2
    {"oldjob", RefusalKind::kStale},
    {"timetoo", RefusalKind::kOther},      // DATUM, with the code of stale shares; "ntime too low"
    {"noncetoo", RefusalKind::kOther},     // "nonce too low"
    {"timerolling", RefusalKind::kOther},  // yiimp, with the code of low difficulty
    {"lowdiff", RefusalKind::kLowDifficulty},
    {"toolow", RefusalKind::kLowDifficulty},  // public-pool, Stratum V2
    {"abovetarget", RefusalKind::kLowDifficulty},
    {"highhash", RefusalKind::kLowDifficulty},  // eloipool, DATUM, as the next one
    {"hnotzero", RefusalKind::kLowDifficulty},
    {"unauthori", RefusalKind::kUnauthorised},
    {"notauthori", RefusalKind::kUnauthorised},
    {"notsubscribed", RefusalKind::kUnauthorised},
    {"unknownuser", RefusalKind::kUnauthorised},      // eloipool
    {"invalidusername", RefusalKind::kUnauthorised},  // BTCPool
    {"workermismatch", RefusalKind::kUnauthorised},   // ckpool
    {"extranonce", RefusalKind::kOther},              // yiimp, with the code of unauthorised workers
    {"invalidshare", RefusalKind::kOther},            // yiimp, with the code of unsubscribed ones
};

// By the words: they say what has happened, while pools give the codes from 20 to 27 different meanings. By the code
// where nothing is known of the words.
RefusalKind kind_of(const StratumRefusal& refusal) {
    std::string text = ascii_lower(refusal.text);
    std::erase_if(text, [](char c) { return c == ' ' || c == '-' || c == '_'; });
    for (const Words& words : kWords) {
        if (text.find(words.part) != std::string::npos) return words.kind;
    }
    switch (refusal.code.value_or(20)) {
        case 21: return RefusalKind::kStale;
        case 22: return RefusalKind::kDuplicate;
        case 23: return RefusalKind::kLowDifficulty;
        case 24:
        case 25: return RefusalKind::kUnauthorised;  // 25: the connection is not subscribed
        default: return RefusalKind::kOther;
    }
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
