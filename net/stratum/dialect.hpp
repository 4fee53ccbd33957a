// Dialects of Stratum V1, one for the pools of each algorithm: a table of functions; and the calls and replies that are
// the same in all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"

namespace gpuminer {
struct Algorithm;
}

namespace gpuminer::net {

struct StratumMessage;
struct StratumRefusal;

// ----- of all dialects: values -----

inline constexpr std::size_t kLongestExtranonce = 32;  ///< bytes, of each of the two

struct Extranonce {
    Bytes extranonce1;
    unsigned extranonce2_size = 0;  ///< bytes
};
/// How much work a pool wants a share to be.
struct ShareWork {
    double difficulty = 0;          ///< positive and finite
    std::optional<Hash256> target;  ///< where the pool has set that; empty: the difficulty's
};

/// Bitcoin's: 0 to 32 bytes each. `where`: the message that they come from. Throws ProtocolError: with a wrong one,
/// all shares would be refused.
[[nodiscard]] Extranonce read_extranonce(const char* where, const nlohmann::json& extranonce1,
                                         const nlohmann::json& extranonce2_size);

/// Version bits: 1 to 8 hex digits. Empty for anything else.
[[nodiscard]] std::optional<std::uint32_t> read_mask(const nlohmann::json& value);

// ----- of requests to a pool (those of mining.submit are the dialect's) -----

/// Of mining.configure (BIP 310): version rolling with BIP 320's bits, and a minimum difficulty where `difficulty` is
/// at least 1.
[[nodiscard]] nlohmann::json configure_params(std::optional<double> difficulty);
/// Of mining.subscribe. `session`: to be resumed; empty: a new one.
[[nodiscard]] nlohmann::json subscribe_params(const std::string& agent, const std::string& session);
/// Of mining.suggest_difficulty.
[[nodiscard]] nlohmann::json suggest_difficulty_params(double difficulty);

// ----- of a pool's calls -----

/// Element `at` of the parameters; null where there is none.
[[nodiscard]] const nlohmann::json& parameter(const nlohmann::json& params, std::size_t at);

/// Of mining.set_difficulty. Empty: not a positive number.
[[nodiscard]] std::optional<double> read_difficulty(const nlohmann::json& params);
/// Of mining.set_version_mask. Empty: not hex digits.
[[nodiscard]] std::optional<std::uint32_t> read_version_mask(const nlohmann::json& params);
/// Of client.reconnect. Empty: not a host and a port.
[[nodiscard]] std::optional<ReconnectRequested> read_reconnect(const nlohmann::json& params);
/// Of client.show_message. Empty: no text.
[[nodiscard]] std::optional<OperatorMessage> read_show_message(const nlohmann::json& params);

// ----- of a pool's replies -----

/// What a pool grants of BIP 310's extensions; nothing where the reply is a refusal or makes no sense.
struct ConfigureReply {
    bool version_rolling = false;
    std::uint32_t version_mask = 0;  ///< 0: rolling is granted, but no bit
    bool subscribe_extranonce = false;
};
[[nodiscard]] ConfigureReply read_configure_reply(const StratumMessage& reply);

struct SubscribeReply {
    std::string session;  ///< to resume it with, at most 256 bytes; empty: the pool gave none
    Extranonce extranonce;
};
/// From the first element of its result: [[["mining.set_difficulty", ID], ["mining.notify", ID]], …], or
/// ["mining.notify", ID] alone. Empty: there is none, or too long a one.
[[nodiscard]] std::string session_id(const nlohmann::json& subscriptions);

/// With the kinds of refusal told apart by their words and, where nothing is known of those, by code.
[[nodiscard]] ShareReply refused_share(const StratumRefusal& refusal);
[[nodiscard]] ShareReply read_share_reply(const StratumMessage& reply);

// ----- what differs -----

struct StratumDialect {
    bool configures;                        ///< pools know mining.configure (BIP 310)
    bool suggests_difficulty;               ///< pools know mining.suggest_difficulty
    std::string_view set_work;              ///< the pool's call that says how much work a share is to be
    const char* bad_work;                   ///< for messages: what is wrong with one that cannot be read
    std::optional<ShareWork> default_work;  ///< until the pool says it; empty: jobs wait for that

    // Those that read the pool's messages throw ProtocolError, but for read_work: empty where it is `bad_work`.
    std::optional<ShareWork> (*read_work)(const nlohmann::json& params);
    SubscribeReply (*read_subscribe_reply)(const StratumMessage& reply);
    Extranonce (*read_set_extranonce)(const nlohmann::json& params);
    std::shared_ptr<const StratumNotify> (*read_notify)(const nlohmann::json& params);

    /// `notify`: of read_notify(). As StratumJob().
    std::shared_ptr<const StratumJob> (*make_job)(const std::shared_ptr<const StratumNotify>& notify,
                                                  JobParameters parameters, const StratumJob* continues);
    /// Of mining.submit. `version_rolling`: the pool granted it.
    nlohmann::json (*submit_params)(const std::string& user, const StratumShare& share, bool version_rolling);
};

extern const StratumDialect kBitcoinDialect;
extern const StratumDialect kVerusDialect;

[[nodiscard]] const StratumDialect& dialect_of(const Algorithm& algorithm);

}  // namespace gpuminer::net
