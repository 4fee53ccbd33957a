#include "net/stratum/output.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "net/stratum/message.hpp"

namespace gpuminer::net {

StratumEvents StratumOutput::take() { return std::exchange(events_, {}); }

void StratumOutput::warn(std::string sentence) {
    constexpr unsigned kMostWarnings = 10;
    if (warnings_++ < kMostWarnings) add(Warning{std::move(sentence)});
}

void StratumOutput::refuse(std::string sentence) {
    if (!std::exchange(over_, true)) add(LoginRefused{std::move(sentence)});
}

void StratumOutput::fail(std::string sentence) {
    if (!std::exchange(over_, true)) add(ProtocolViolation{std::move(sentence)});
}

std::string StratumOutput::make_request(std::string_view method, const nlohmann::json& params) {
    note_sent();
    return stratum_request(next_id_++, method, params) + '\n';
}

std::uint64_t StratumOutput::request(std::string_view method, const nlohmann::json& params) {
    const std::uint64_t id = next_id_;
    add(Send{make_request(method, params)});
    return id;
}

}  // namespace gpuminer::net
