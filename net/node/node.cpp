#include "net/node/node.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

// A block's weight of 4,000,000 (BIP 141) has room for 16,666 transactions of 60 bytes without a witness, of which a
// template says seven things each, and for 24,390 inputs, of which it names the transactions that they depend on:
// 190,000 values. In hex digits, with two hashes for each transaction, it is 9 MB long.
constexpr std::size_t kLongestTemplate = std::size_t{16} << 20;
constexpr std::size_t kMostValuesOfTemplate = 300'000;

[[noreturn]] void wrong_form(const Node& node, const std::string& what) {
    throw RpcError(RpcFailure::kMalformed, fmt::format("{} answers {}", node.name(), what));
}

std::uint64_t count_in(const json& object, const char* name) {
    const auto it = object.find(name);
    return it != object.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
}

Hash256 hash_of(const Node& node, const json& result) {
    if (!result.is_string()) wrong_form(node, "without the hash of a block");
    try {
        return hash256_from_hex(result.get_ref<const std::string&>(), "a block hash");
    } catch (const InputError&) {
        wrong_form(node, "with something that is no hash of a block: " + quoted_text(result.get<std::string>()));
    }
}

}  // namespace

ChainInfo Node::chain_info() {
    const json result = rpc_.call("getblockchaininfo");
    if (!result.is_object()) wrong_form(*this, "getblockchaininfo without an object");
    ChainInfo info;
    if (const auto it = result.find("chain"); it != result.end() && it->is_string()) info.name = *it;
    info.chain = chain_from_name(info.name);
    info.blocks = count_in(result, "blocks");
    info.headers = count_in(result, "headers");
    if (const auto it = result.find("initialblockdownload"); it != result.end() && it->is_boolean()) {
        info.initial_download = *it;
    }
    return info;
}

std::uint64_t Node::connections() {
    const json result = rpc_.call("getconnectioncount");
    if (!result.is_number_unsigned()) wrong_form(*this, "getconnectioncount without a number");
    return result;
}

bool Node::is_btcd() {
    try {
        const json result = rpc_.call("version");  // a method of btcd's
        return result.is_object() && result.contains("btcdjsonrpcapi");
    } catch (const RpcError& error) {
        const bool replied = error.failure == RpcFailure::kNoMethod || error.failure == RpcFailure::kRefused ||
                             error.failure == RpcFailure::kUnauthorized;  // a list of methods that are allowed
        if (!replied) throw;
        return false;
    }
}

json Node::block_template(Chain chain, const std::string& long_poll_id, std::chrono::seconds time_limit) {
    // btcd makes the coinbase itself for who does not say that a coinbase's value is enough.
    json request = {{"rules", {"segwit"}}, {"capabilities", {"coinbasevalue", "longpoll", "workid"}}};
    if (chain == Chain::kSignet) request["rules"].push_back("signet");
    if (!long_poll_id.empty()) request["longpollid"] = long_poll_id;
    return rpc_.call("getblocktemplate", json::array({request}),
                     {.time = time_limit, .bytes = kLongestTemplate, .values = kMostValuesOfTemplate});
}

Hash256 Node::best_block_hash() { return hash_of(*this, rpc_.call("getbestblockhash")); }

std::uint32_t Node::block_time(const Hash256& hash) {
    const json header = rpc_.call("getblockheader", json::array({hash.hex(), true}));
    const std::uint64_t time = header.is_object() ? count_in(header, "time") : 0;
    if (time == 0 || time > 0xffffffff) wrong_form(*this, "getblockheader without the block's time");
    return static_cast<std::uint32_t>(time);
}

ChainPosition Node::standing(const Hash256& hash) {
    if (best_block_hash() == hash) return ChainPosition::kOnBestChain;
    json header;
    try {
        header = rpc_.call("getblockheader", json::array({hash.hex(), true}));
    } catch (const RpcError& error) {
        // btcd knows no header of what is not on its best chain, and says so with an error of its own.
        if (error.failure == RpcFailure::kRefused) return ChainPosition::kSideChain;
        throw;
    }
    if (!header.is_object()) return ChainPosition::kUnknown;
    const auto confirmations = header.find("confirmations");
    if (confirmations == header.end() || !confirmations->is_number_integer()) return ChainPosition::kUnknown;
    if (confirmations->get<std::int64_t>() <= 0) return ChainPosition::kSideChain;  // Core says -1
    // btcd counts confirmations by height, on whatever branch the block is: what stands at its height tells.
    const std::uint64_t height = count_in(header, "height");
    return hash_of(*this, rpc_.call("getblockhash", json::array({height}))) == hash ? ChainPosition::kOnBestChain
                                                                                    : ChainPosition::kSideChain;
}

BlockReply Node::submit_block(const std::string& block_hex, const std::string& work_id) {
    json params = json::array({block_hex});
    if (!work_id.empty()) params.push_back({{"workid", work_id}});
    try {
        return judge_submit_result(rpc_.call("submitblock", params));
    } catch (const RpcError& error) {
        if (error.failure != RpcFailure::kRefused) throw;
        // Some nodes say in the error what others say in the result.
        BlockReply reply = judge_submit_result(error.message.empty() ? json("rejected") : json(error.message));
        if (reply.words.empty() && reply.verdict != SubmitVerdict::kAccepted) reply.words = error.what();
        return reply;
    }
}

}  // namespace gpuminer::net
