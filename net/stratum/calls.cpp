#include "net/stratum/calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

bool is_host_name(const std::string& text) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]";
    return text.size() <= 253 && text.find_first_not_of(kAllowed) == std::string::npos;
}

}  // namespace

const json& parameter(const json& params, std::size_t at) {
    static const json kNull;
    return params.is_array() && at < params.size() ? params[at] : kNull;
}

std::optional<double> read_difficulty(const json& params) {
    const std::optional<double> difficulty = real_number(parameter(params, 0));
    return difficulty && *difficulty > 0 ? difficulty : std::nullopt;
}

std::optional<std::uint32_t> read_version_mask(const json& params) { return read_mask(parameter(params, 0)); }

// [], [host], [host, port], [host, port, seconds].
std::optional<ReconnectRequested> read_reconnect(const json& params) {
    constexpr std::int64_t kLongestWait = 3600;
    const json& host = parameter(params, 0);
    const json& port = parameter(params, 1);
    ReconnectRequested request;
    if (host.is_string()) request.host = host.get<std::string>();
    const std::int64_t number = port.is_null() || port == json("") ? 0 : whole_number(port).value_or(-1);
    if (!(host.is_string() || host.is_null()) || !is_host_name(request.host) || number < 0 || number > 65535) {
        return std::nullopt;
    }
    request.port = static_cast<std::uint16_t>(number);
    const std::int64_t wait = whole_number(parameter(params, 2)).value_or(0);
    request.wait = std::chrono::seconds(std::clamp<std::int64_t>(wait, 0, kLongestWait));
    return request;
}

std::optional<OperatorMessage> read_show_message(const json& params) {
    const json& text = params.is_string() ? params : parameter(params, 0);
    if (!text.is_string()) return std::nullopt;
    return OperatorMessage{printable_ascii(text.get_ref<const std::string&>())};
}

}  // namespace gpuminer::net
