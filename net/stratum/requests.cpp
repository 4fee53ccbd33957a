#include "net/stratum/requests.hpp"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "host/block/text.hpp"
#include "host/search/version_space.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

// A JSON number, without a fraction where the value is whole.
json number(double value) {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (value == std::floor(value) && value < kExact) return static_cast<std::int64_t>(value);
    return value;
}

}  // namespace

json configure_params(std::optional<double> difficulty) {
    json extensions = {"version-rolling", "subscribe-extranonce"};
    json values = {{"version-rolling.mask", hex8(kBip320Mask)}, {"version-rolling.min-bit-count", 1}};
    // A whole number: a Stratum V2 translator closes the connection on any other.
    const double minimum = std::floor(difficulty.value_or(0));
    if (minimum >= 1) {
        extensions.push_back("minimum-difficulty");
        values["minimum-difficulty.value"] = number(minimum);
    }
    return json::array({extensions, values});
}

json subscribe_params(const std::string& agent, const std::string& session) {
    json params = json::array({agent});
    if (!session.empty()) params.push_back(session);
    return params;
}

json suggest_difficulty_params(double difficulty) { return json::array({number(difficulty)}); }

json submit_params(const std::string& user, const StratumShare& share, bool version_rolling) {
    json params = {user, share.job_id, share.extranonce2, hex8(share.time), hex8(share.nonce)};
    const bool with_bits = version_rolling && share.version_bits_as != VersionBits::kNone;
    if (with_bits || share.version_bits != 0) params.push_back(hex8(share.version_bits));
    return params;
}

}  // namespace gpuminer::net
