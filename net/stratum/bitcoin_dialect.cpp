// Bitcoin's dialect: coinbase and branches, difficulties, BIP 310.
#include <utility>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/bitcoin_job.hpp"
#include "net/stratum/calls.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

std::optional<ShareWork> read_work(const json& params) {
    const std::optional<double> difficulty = read_difficulty(params);
    if (!difficulty) return std::nullopt;
    return ShareWork{*difficulty, std::nullopt};
}

SubscribeReply read_subscribe_reply(const StratumMessage& reply) {
    const json& result = reply.result;
    if (!result.is_array() || result.size() < 3) {
        throw ProtocolError("mining.subscribe: expected a list of three elements");
    }
    return {session_id(result[0]), read_extranonce("mining.subscribe", result[1], result[2])};
}

Extranonce read_set_extranonce(const json& params) {
    return read_extranonce("mining.set_extranonce", parameter(params, 0), parameter(params, 1));
}

std::shared_ptr<const StratumNotify> read_notify(const json& params) {
    return std::make_shared<const BitcoinNotify>(parse_bitcoin_notify(params));
}

std::shared_ptr<const StratumJob> make_job(const std::shared_ptr<const StratumNotify>& notify, JobParameters parameters,
                                           const StratumJob* continues) {
    return std::make_shared<const BitcoinJob>(std::dynamic_pointer_cast<const BitcoinNotify>(notify),
                                              std::move(parameters), continues);
}

// Where a pool has granted version rolling, it wants the bits of every share, even where there are none.
json submit_params(const std::string& user, const StratumShare& share, bool version_rolling) {
    json params = {user, share.job_id, share.extranonce2, hex8(share.time), hex8(share.nonce)};
    const bool with_bits = version_rolling && share.version_bits_as != VersionBits::kNone;
    if (with_bits || share.version_bits != 0) params.push_back(hex8(share.version_bits));
    return params;
}

}  // namespace

constinit const StratumDialect kBitcoinDialect{
    .configures = true,
    .suggests_difficulty = true,
    .set_work = "mining.set_difficulty",
    .bad_work = "a difficulty that is not a positive number",
    .default_work = ShareWork{.difficulty = 1, .target = {}},
    .read_work = read_work,
    .read_subscribe_reply = read_subscribe_reply,
    .read_set_extranonce = read_set_extranonce,
    .read_notify = read_notify,
    .make_job = make_job,
    .submit_params = submit_params,
};

}  // namespace gpuminer::net
