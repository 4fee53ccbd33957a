// Frames of Stratum V2 in the simulator: read as messages, and those of a client in JSON, as Stratum V1's are.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/text/bytes.hpp"
#include "net/sv2/messages.hpp"
#include "net/sv2/wire.hpp"

namespace gpuminer::simulation {

/// A whole frame. Empty: it is of another kind.
template <typename Message>
[[nodiscard]] std::optional<Message> frame_as(const std::string& frame) {
    const net::sv2::FrameHeader header = net::sv2::read_frame_header(frame);
    if (header.extension != 0 || header.type != net::sv2::kRow<Message>.type) return std::nullopt;
    return net::sv2::decode<Message>(Bytes(frame.begin() + net::sv2::kHeaderBytes, frame.end()));
}

/// A whole frame of a client's. The method is the message's name, but that of a share is mining.submit, whose id is the
/// sequence number, and whose parameters are V1's with the channel in place of the user and the whole version.
[[nodiscard]] nlohmann::json read_client_frame(const std::string& frame);

}  // namespace gpuminer::simulation
