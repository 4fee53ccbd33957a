#include "tests/simulation/sv2_frames.hpp"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"

namespace gpuminer::simulation {
namespace {

using namespace net::sv2;
using nlohmann::json;

json request(const char* name, const OpenStandardMiningChannel& message, unsigned extranonce_size) {
    return {{"method", name},
            {"id", message.request},
            {"max_target", to_hex(message.max_target)},
            {"extranonce_size", extranonce_size}};
}

json submission(const SubmitSharesStandard& message, const std::string& extranonce2) {
    return {{"method", "mining.submit"},
            {"id", message.sequence},
            {"params", json::array({std::to_string(message.channel), std::to_string(message.job), extranonce2,
                                    hex8(message.time), hex8(message.nonce), hex8(message.version)})}};
}

}  // namespace

json read_client_frame(const std::string& frame) {
    if (read_frame_header(frame).frame_bytes() != frame.size()) throw std::runtime_error("the client cuts its frames");
    if (const auto share = frame_as<SubmitSharesExtended>(frame))
        return submission(*share, to_hex(share->extranonce.bytes));
    if (const auto share = frame_as<SubmitSharesStandard>(frame)) return submission(*share, "");
    if (const auto setup = frame_as<SetupConnection>(frame))
        return {{"method", kRow<SetupConnection>.name}, {"flags", setup->flags}};
    if (const auto open = frame_as<OpenStandardMiningChannel>(frame))
        return request(kRow<OpenStandardMiningChannel>.name, *open, 0);
    if (const auto open = frame_as<OpenExtendedMiningChannel>(frame))
        return request(kRow<OpenExtendedMiningChannel>.name, *open, open->min_extranonce_size);
    if (frame_as<CloseChannel>(frame)) return {{"method", kRow<CloseChannel>.name}};
    if (frame_as<UpdateChannel>(frame)) return {{"method", kRow<UpdateChannel>.name}};
    throw std::runtime_error("the client sends a message that the simulated pool does not know");
}

}  // namespace gpuminer::simulation
