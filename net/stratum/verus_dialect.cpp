// Verus' dialect: the whole header but its nonce, targets, solutions. Sources: the pool's and miners' own code,
// github.com/hellcatz/node-stratum-pool, github.com/Oink70/ccminer-verus.
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/stratum/calls.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/verus_job.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

// Of mining.set_target: 64 hex digits in display order. Difficulties count as everywhere, against Bitcoin's.
std::optional<ShareWork> read_target(const json& params) {
    const json& value = parameter(params, 0);
    if (!value.is_string()) return std::nullopt;
    const auto& digits = value.get_ref<const std::string&>();
    if (digits.size() != 64 || !is_hex(digits)) return std::nullopt;
    const Hash256 target = target_from_hex(digits);
    if (target == Hash256{}) return std::nullopt;
    return ShareWork{difficulty_of(target), target};
}

// The pool's part of the header's nonce; ours is the rest.
Extranonce read_nonce1(const char* where, const json& value) {
    if (!value.is_string()) throw ProtocolError(fmt::format("{}: expected a text as nonce1", where));
    const auto& digits = value.get_ref<const std::string&>();
    if (digits.size() > 2 * kLongestVerusExtranonce1 || digits.size() % 2 != 0 || !is_hex(digits)) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} bytes in hex as nonce1, got {}", where,
                                        kLongestVerusExtranonce1, quoted_text(digits)));
    }
    Extranonce extranonce;
    extranonce.extranonce1.resize(digits.size() / 2);
    decode_hex(digits, extranonce.extranonce1);
    extranonce.extranonce2_size = static_cast<unsigned>(verushash::kNonceFieldBytes - extranonce.extranonce1.size());
    return extranonce;
}

// [session or null, nonce1]; no session is resumed.
SubscribeReply read_subscription(const StratumMessage& reply) {
    const json& result = reply.result;
    if (!result.is_array() || result.size() < 2) {
        throw ProtocolError("mining.subscribe: expected a list of two elements");
    }
    return {"", read_nonce1("mining.subscribe", result[1])};
}

Extranonce read_new_nonce1(const json& params) { return read_nonce1("mining.set_extranonce", parameter(params, 0)); }

std::shared_ptr<const StratumNotify> read_verus_notify(const json& params) {
    constexpr std::size_t kBranches = 4;  // Bitcoin's jobs alone have a list in between
    if (params.is_array() && params.size() > kBranches && params[kBranches].is_array())
        throw OtherAlgorithmError("this pool's jobs are Bitcoin's (SHA-256d), but --algorithm is verushash");
    return std::make_shared<const VerusNotify>(parse_verus_notify(params));
}

std::shared_ptr<const StratumJob> make_verus_job(const std::shared_ptr<const StratumNotify>& notify,
                                                 JobParameters parameters, const StratumJob* continues) {
    return std::make_shared<const VerusPoolJob>(std::dynamic_pointer_cast<const VerusNotify>(notify),
                                                std::move(parameters), continues);
}

json verus_submit_params(const std::string& user, const StratumShare& share, bool /*version_rolling*/) {
    Bytes time(4);
    store_le32(time, 0, share.time);
    return {user, share.job_id, to_hex(time), share.extranonce2, share.solution};
}

}  // namespace

constinit const StratumDialect kVerusDialect{
    .configures = false,
    .suggests_difficulty = false,
    .set_work = "mining.set_target",
    .bad_work = "a target that is not 64 hex digits, or zero",
    .default_work = std::nullopt,
    .read_work = read_target,
    .read_subscribe_reply = read_subscription,
    .read_set_extranonce = read_new_nonce1,
    .read_notify = read_verus_notify,
    .make_job = make_verus_job,
    .submit_params = verus_submit_params,
};

}  // namespace gpuminer::net
