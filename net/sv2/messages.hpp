// Messages of Stratum V2's mining protocol, and the table of their fields: a row each, from which they are written and
// read. Names as in the specification (github.com/stratum-mining/sv2-spec, 03, 05 and 08).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "net/bitcoin/serialization.hpp"
#include "net/stratum/message.hpp"
#include "net/sv2/wire.hpp"

namespace gpuminer::net::sv2 {

inline constexpr std::uint16_t kVersion = 2;

// Of SetupConnection:
inline constexpr std::uint32_t kRequiresStandardJobs = 1;
// Of SetupConnection.Success:
inline constexpr std::uint32_t kRequiresFixedVersion = 1;
inline constexpr std::uint32_t kRequiresExtendedChannels = 2;

struct SetupConnection {
    std::uint8_t protocol = 0;  ///< 0: mining
    std::uint16_t min_version = kVersion, max_version = kVersion;
    std::uint32_t flags = 0;
    std::string host;
    std::uint16_t port = 0;
    std::string vendor, hardware_version, firmware, device_id;
};
struct SetupConnectionSuccess {
    std::uint16_t used_version = 0;
    std::uint32_t flags = 0;
};
struct SetupConnectionError {
    std::uint32_t flags = 0;  ///< those that the server does not take; 0: another reason
    std::string code;
};
struct Reconnect {
    std::string host;        ///< empty: the same
    std::uint16_t port = 0;  ///< 0: the same
};
struct OpenStandardMiningChannel {
    std::uint32_t request = 0;
    std::string user;
    float hash_rate = 0;  ///< hashes per second
    Digest max_target{};  ///< targets are numbers, the least significant byte first
};
struct OpenStandardMiningChannelSuccess {
    std::uint32_t request = 0;
    std::uint32_t opened = 0;  ///< the channel
    Digest target{};
    ShortBytes extranonce_prefix;
    std::uint32_t group = 0;
};
struct OpenExtendedMiningChannel : OpenStandardMiningChannel {
    std::uint16_t min_extranonce_size = 0;
};
struct OpenExtendedMiningChannelSuccess {
    std::uint32_t request = 0;
    std::uint32_t opened = 0;  ///< the channel
    Digest target{};
    std::uint16_t extranonce_size = 0;
    ShortBytes extranonce_prefix;
    std::uint32_t group = 0;
};
struct OpenMiningChannelError {
    std::uint32_t request = 0;
    std::string code;
};
struct UpdateChannel {
    std::uint32_t channel = 0;
    float hash_rate = 0;
    Digest max_target{};
};
struct UpdateChannelError {
    std::uint32_t channel = 0;
    std::string code;
};
struct CloseChannel {
    std::uint32_t channel = 0;
    std::string reason;
};
struct SetExtranoncePrefix {
    std::uint32_t channel = 0;
    ShortBytes extranonce_prefix;
};
struct SubmitSharesStandard {
    std::uint32_t channel = 0;
    std::uint32_t sequence = 0;
    std::uint32_t job = 0;
    std::uint32_t nonce = 0;
    std::uint32_t time = 0;
    std::uint32_t version = 0;  ///< the whole field
};
struct SubmitSharesExtended : SubmitSharesStandard {
    ShortBytes extranonce;  ///< without the prefix
};
struct SubmitSharesSuccess {
    std::uint32_t channel = 0;
    std::uint32_t last_sequence = 0;
    std::uint32_t accepted = 0;    ///< since the last of these messages
    std::uint64_t difficulty = 0;  ///< their sum
};
struct SubmitSharesError {
    std::uint32_t channel = 0;
    std::uint32_t sequence = 0;
    std::string code;
};
struct NewMiningJob {
    std::uint32_t channel = 0;
    std::uint32_t job = 0;
    std::optional<std::uint32_t> min_time;  ///< empty: a future job, which waits for its SetNewPrevHash
    std::uint32_t version = 0;
    Digest merkle_root{};
};
struct NewExtendedMiningJob {
    std::uint32_t channel = 0;
    std::uint32_t job = 0;
    std::optional<std::uint32_t> min_time;
    std::uint32_t version = 0;
    bool version_rolling_allowed = false;
    std::vector<Digest> merkle_path;
    LongBytes coinbase_prefix, coinbase_suffix;
};
struct SetNewPrevHash {
    std::uint32_t channel = 0;
    std::uint32_t job = 0;
    Digest previous_hash{};
    std::uint32_t min_time = 0;
    std::uint32_t nbits = 0;
};
struct SetTarget {
    std::uint32_t channel = 0;
    Digest max_target{};
};
struct SetGroupChannel {
    std::uint32_t group = 0;
    std::vector<std::uint32_t> channels;
};

template <typename... Fields>
struct Row {
    const char* name;
    std::uint8_t type;
    bool of_channel;  ///< the frame has the channel's bit
    std::tuple<Fields...> fields;
};
template <typename... Fields>
constexpr Row<Fields...> row(const char* name, std::uint8_t type, bool of_channel, Fields... fields) {
    return {name, type, of_channel, {fields...}};
}

/// The message's row in the table below.
template <typename Message>
inline constexpr auto kRow = nullptr;

template <>
inline constexpr auto kRow<SetupConnection> = row("SetupConnection", 0x00, false, &SetupConnection::protocol,
                                                  &SetupConnection::min_version, &SetupConnection::max_version,
                                                  &SetupConnection::flags, &SetupConnection::host,
                                                  &SetupConnection::port, &SetupConnection::vendor,
                                                  &SetupConnection::hardware_version, &SetupConnection::firmware,
                                                  &SetupConnection::device_id);
template <>
inline constexpr auto kRow<SetupConnectionSuccess> = row("SetupConnection.Success", 0x01, false,
                                                         &SetupConnectionSuccess::used_version,
                                                         &SetupConnectionSuccess::flags);
template <>
inline constexpr auto kRow<SetupConnectionError> = row("SetupConnection.Error", 0x02, false,
                                                       &SetupConnectionError::flags, &SetupConnectionError::code);
template <>
inline constexpr auto kRow<Reconnect> = row("Reconnect", 0x04, false, &Reconnect::host, &Reconnect::port);
template <>
inline constexpr auto kRow<OpenStandardMiningChannel> = row("OpenStandardMiningChannel", 0x10, false,
                                                            &OpenStandardMiningChannel::request,
                                                            &OpenStandardMiningChannel::user,
                                                            &OpenStandardMiningChannel::hash_rate,
                                                            &OpenStandardMiningChannel::max_target);
template <>
inline constexpr auto kRow<OpenStandardMiningChannelSuccess> = row("OpenStandardMiningChannel.Success", 0x11, false,
                                                                   &OpenStandardMiningChannelSuccess::request,
                                                                   &OpenStandardMiningChannelSuccess::opened,
                                                                   &OpenStandardMiningChannelSuccess::target,
                                                                   &OpenStandardMiningChannelSuccess::extranonce_prefix,
                                                                   &OpenStandardMiningChannelSuccess::group);
template <>
inline constexpr auto kRow<OpenMiningChannelError> = row("OpenMiningChannel.Error", 0x12, false,
                                                         &OpenMiningChannelError::request,
                                                         &OpenMiningChannelError::code);
template <>
inline constexpr auto kRow<OpenExtendedMiningChannel> = row("OpenExtendedMiningChannel", 0x13, false,
                                                            &OpenExtendedMiningChannel::request,
                                                            &OpenExtendedMiningChannel::user,
                                                            &OpenExtendedMiningChannel::hash_rate,
                                                            &OpenExtendedMiningChannel::max_target,
                                                            &OpenExtendedMiningChannel::min_extranonce_size);
template <>
inline constexpr auto kRow<OpenExtendedMiningChannelSuccess> = row("OpenExtendedMiningChannel.Success", 0x14, false,
                                                                   &OpenExtendedMiningChannelSuccess::request,
                                                                   &OpenExtendedMiningChannelSuccess::opened,
                                                                   &OpenExtendedMiningChannelSuccess::target,
                                                                   &OpenExtendedMiningChannelSuccess::extranonce_size,
                                                                   &OpenExtendedMiningChannelSuccess::extranonce_prefix,
                                                                   &OpenExtendedMiningChannelSuccess::group);
template <>
inline constexpr auto kRow<NewMiningJob> = row("NewMiningJob", 0x15, true, &NewMiningJob::channel, &NewMiningJob::job,
                                               &NewMiningJob::min_time, &NewMiningJob::version,
                                               &NewMiningJob::merkle_root);
template <>
inline constexpr auto kRow<UpdateChannel> = row("UpdateChannel", 0x16, true, &UpdateChannel::channel,
                                                &UpdateChannel::hash_rate, &UpdateChannel::max_target);
template <>
inline constexpr auto kRow<UpdateChannelError> = row("UpdateChannel.Error", 0x17, true, &UpdateChannelError::channel,
                                                     &UpdateChannelError::code);
template <>
inline constexpr auto kRow<CloseChannel> = row("CloseChannel", 0x18, true, &CloseChannel::channel,
                                               &CloseChannel::reason);
template <>
inline constexpr auto kRow<SetExtranoncePrefix> = row("SetExtranoncePrefix", 0x19, true, &SetExtranoncePrefix::channel,
                                                      &SetExtranoncePrefix::extranonce_prefix);
template <>
inline constexpr auto kRow<SubmitSharesStandard> = row("SubmitSharesStandard", 0x1a, true,
                                                       &SubmitSharesStandard::channel, &SubmitSharesStandard::sequence,
                                                       &SubmitSharesStandard::job, &SubmitSharesStandard::nonce,
                                                       &SubmitSharesStandard::time, &SubmitSharesStandard::version);
template <>
inline constexpr auto kRow<SubmitSharesExtended> = row("SubmitSharesExtended", 0x1b, true,
                                                       &SubmitSharesExtended::channel, &SubmitSharesExtended::sequence,
                                                       &SubmitSharesExtended::job, &SubmitSharesExtended::nonce,
                                                       &SubmitSharesExtended::time, &SubmitSharesExtended::version,
                                                       &SubmitSharesExtended::extranonce);
template <>
inline constexpr auto kRow<SubmitSharesSuccess> = row("SubmitShares.Success", 0x1c, true, &SubmitSharesSuccess::channel,
                                                      &SubmitSharesSuccess::last_sequence,
                                                      &SubmitSharesSuccess::accepted, &SubmitSharesSuccess::difficulty);
template <>
inline constexpr auto kRow<SubmitSharesError> = row("SubmitShares.Error", 0x1d, true, &SubmitSharesError::channel,
                                                    &SubmitSharesError::sequence, &SubmitSharesError::code);
template <>
inline constexpr auto kRow<NewExtendedMiningJob> = row(
    "NewExtendedMiningJob", 0x1f, true, &NewExtendedMiningJob::channel, &NewExtendedMiningJob::job,
    &NewExtendedMiningJob::min_time, &NewExtendedMiningJob::version, &NewExtendedMiningJob::version_rolling_allowed,
    &NewExtendedMiningJob::merkle_path, &NewExtendedMiningJob::coinbase_prefix, &NewExtendedMiningJob::coinbase_suffix);
template <>
inline constexpr auto kRow<SetNewPrevHash> = row("SetNewPrevHash", 0x20, true, &SetNewPrevHash::channel,
                                                 &SetNewPrevHash::job, &SetNewPrevHash::previous_hash,
                                                 &SetNewPrevHash::min_time, &SetNewPrevHash::nbits);
template <>
inline constexpr auto kRow<SetTarget> = row("SetTarget", 0x21, true, &SetTarget::channel, &SetTarget::max_target);
template <>
inline constexpr auto kRow<SetGroupChannel> = row("SetGroupChannel", 0x25, false, &SetGroupChannel::group,
                                                  &SetGroupChannel::channels);

/// A whole frame. Throws std::invalid_argument: a text or bytes beyond the bounds of its type.
template <typename Message>
[[nodiscard]] std::string encode(const Message& message) {
    Bytes payload;
    std::apply([&](const auto&... field) { (put(payload, message.*field), ...); }, kRow<Message>.fields);
    return make_frame(kRow<Message>.type, kRow<Message>.of_channel, payload);
}

/// What follows the last field is passed over: fields of extensions. Throws ProtocolError with the message's name.
template <typename Message>
[[nodiscard]] Message decode(std::span<const std::uint8_t> payload) {
    Message message;
    ByteReader reader(payload);
    try {
        std::apply([&](const auto&... field) { (get(reader, message.*field), ...); }, kRow<Message>.fields);
    } catch (const NetworkError& error) {
        throw ProtocolError(fmt::format("{}: {}", kRow<Message>.name, error.what()));
    }
    return message;
}

}  // namespace gpuminer::net::sv2
