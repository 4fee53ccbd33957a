// Fuzzer of nodes' JSON-RPC replies. Each gives a result within its bounds, or is refused with a plain sentence; and
// what is made of a result is the same.
#include <array>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "net/node/rpc.hpp"
#include "net/node/rpc_reply.hpp"
#include "net/node/submit_reasons.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

constexpr std::size_t kMostValues = 50;

std::size_t values_of(const nlohmann::json& value) {
    std::size_t count = 1;
    if (value.is_structured()) {
        for (const nlohmann::json& element : value) count += values_of(element);
    }
    return count;
}

std::size_t levels_of(const nlohmann::json& value) {
    if (!value.is_structured()) return 0;
    std::size_t deepest = 0;
    for (const nlohmann::json& element : value) deepest = std::max(deepest, levels_of(element));
    return 1 + deepest;
}

void check_result(const nlohmann::json& result) {
    demand(values_of(result) < kMostValues, "a result has no more values than its reply may have");
    demand(levels_of(result) < 32, "a result is not deeper than its reply may be");
    const BlockReply reply = judge_submit_result(result);
    demand(reply.verdict != SubmitVerdict::kAccepted || reply.words.empty(), "there is nothing to explain");
    if (!reply.reason.empty()) fuzz::demand_plain_sentence(reply.reason);
    if (reply.verdict != SubmitVerdict::kAccepted) fuzz::demand_plain_sentence(reply.words);
}

}  // namespace

/// The first byte chooses the HTTP status.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array kStatuses = {200, 500, 404, 503, 401, 403};
    if (size == 0) return 0;
    const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        check_result(parse_rpc_reply(kStatuses[data[0] % kStatuses.size()], body, {"NODE", "METHOD", kMostValues}));
    } catch (const RpcError& error) {
        fuzz::demand_plain_sentence(error.what());
        demand(error.failure != RpcFailure::kCancelled, "nobody has cancelled it");
    }
    return 0;
}
