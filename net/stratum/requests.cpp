#include "net/stratum/requests.hpp"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/share.hpp"

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
    json values = {{"version-rolling.mask", hex8(kAskedVersionBits)}, {"version-rolling.min-bit-count", 1}};
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

}  // namespace gpuminer::net
