#include "net/node/node.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/node/rpc_reply.hpp"

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

/// A block's place, as getblockheader tells it.
struct HeaderPlace {
    ChainPosition position{};
    std::uint64_t height = 0;  ///< kOnBestChain: if it is the block at this height there
};
/// Throws RpcError.
HeaderPlace place_of(Answer<json>& reply) {
    json header;
    try {
        header = reply.take();
    } catch (const RpcError& error) {
        if (error.failure == RpcFailure::kRefused) return {ChainPosition::kAbsent};
        throw;
    }
    if (!header.is_object()) return {ChainPosition::kUnknown};
    const auto confirmations = header.find("confirmations");
    if (confirmations == header.end() || !confirmations->is_number_integer()) return {ChainPosition::kUnknown};
    if (confirmations->get<std::int64_t>() <= 0) return {ChainPosition::kSideChain};  // Core says -1
    return {ChainPosition::kOnBestChain, count_in(header, "height")};
}

}  // namespace

template <typename T, typename Read>
void Node::call(const char* method, const json& params, Read read, OnAnswer<T> done) {
    rpc_.call(method, params, [read = std::move(read), done = std::move(done)](Answer<json> reply) {
        done(Answer<T>::of([&] { return read(reply.take()); }));
    });
}

template <typename T, typename Read>
void Node::call_for_template(Chain chain, const std::string& long_poll_id, std::chrono::seconds time_limit, Read read,
                             OnAnswer<T> done) {
    // btcd makes the coinbase itself for who does not say that a coinbase's value is enough.
    json request = {{"rules", {"segwit"}}, {"capabilities", {"coinbasevalue", "longpoll", "workid"}}};
    if (chain == Chain::kSignet) request["rules"].push_back("signet");
    if (!long_poll_id.empty()) request["longpollid"] = long_poll_id;
    const CallLimits limits{.time = time_limit, .bytes = kLongestTemplate, .values = kMostValuesOfTemplate};
    parsing_ = std::make_shared<std::stop_source>();
    const auto parse = [this, read = std::move(read), done = std::move(done), name = name(),
                        before_parse = before_parse_, parsing = parsing_](Answer<RawReply> answer) {
        if (answer.failure()) return done(answer.failure());
        // The reply's text and JSON, some ten megabytes, end off the loop, too.
        const auto reply = std::make_shared<Answer<RawReply>>(std::move(answer));
        off_loop_.run([=](const std::stop_token& stop) -> EventLoop::Task {
            const std::stop_callback end(stop, [&] { parsing->request_stop(); });
            auto result = Answer<T>::of([&] {
                const RawReply raw = reply->take();
                if (before_parse) before_parse();
                return read(parse_rpc_reply(raw.status, raw.body,
                                            {name, "getblocktemplate", kMostValuesOfTemplate, parsing->get_token()}));
            });
            return [result = std::move(result), parsing, done]() mutable {
                if (!parsing->stop_requested()) done(std::move(result));
            };
        });
    };
    rpc_.call_raw("getblocktemplate", json::array({request}).dump(), limits, parse);
}

void Node::cancel() {
    rpc_.cancel();
    if (parsing_) parsing_->request_stop();
}

void Node::chain_info(OnAnswer<ChainInfo> done) {
    const auto read = [this](const json& result) {
        if (!result.is_object()) wrong_form(*this, "getblockchaininfo without an object");
        ChainInfo info;
        if (const auto it = result.find("chain"); it != result.end() && it->is_string()) info.name = *it;
        if (info.name.empty()) wrong_form(*this, "getblockchaininfo without the name of its chain");
        info.chain = chain_from_name(info.name);
        info.blocks = count_in(result, "blocks");
        info.headers = count_in(result, "headers");
        if (const auto it = result.find("initialblockdownload"); it != result.end() && it->is_boolean()) {
            info.initial_download = *it;
        }
        return info;
    };
    call<ChainInfo>("getblockchaininfo", json::array(), read, std::move(done));
}

void Node::connections(OnAnswer<std::uint64_t> done) {
    const auto read = [this](const json& result) -> std::uint64_t {
        if (!result.is_number_unsigned()) wrong_form(*this, "getconnectioncount without a number");
        return result;
    };
    call<std::uint64_t>("getconnectioncount", json::array(), read, std::move(done));
}

void Node::is_btcd(OnAnswer<bool> done) {
    rpc_.call("version", [done = std::move(done)](Answer<json> reply) {  // a method of btcd's
        done(Answer<bool>::of([&] {
            try {
                const json result = reply.take();
                return result.is_object() && result.contains("btcdjsonrpcapi");
            } catch (const RpcError& error) {
                const bool replied = error.failure == RpcFailure::kNoMethod || error.failure == RpcFailure::kRefused ||
                                     error.failure == RpcFailure::kUnauthorized;  // a list of methods that are allowed
                if (!replied) throw;
                return false;
            }
        }));
    });
}

void Node::block_template(Chain chain, OnAnswer<std::shared_ptr<const BlockTemplate>> done) {
    const auto read = [](const json& result) {
        return std::make_shared<const BlockTemplate>(parse_block_template(result));
    };
    call_for_template<std::shared_ptr<const BlockTemplate>>(chain, {}, std::chrono::seconds(30), read, std::move(done));
}

void Node::long_poll(Chain chain, const std::string& long_poll_id, std::chrono::seconds time_limit,
                     OnAnswer<std::string> done) {
    const auto read = [name = name()](const json& result) -> std::string {
        if (!result.is_object())
            throw RpcError(RpcFailure::kMalformed, name + " answers a long poll without a template");
        const auto id = result.find("longpollid");
        return id != result.end() && id->is_string() ? id->get<std::string>() : "";
    };
    call_for_template<std::string>(chain, long_poll_id, time_limit, read, std::move(done));
}

void Node::best_block_hash(OnAnswer<Hash256> done) {
    const auto read = [this](const json& result) { return hash_of(*this, result); };
    call<Hash256>("getbestblockhash", json::array(), read, std::move(done));
}

void Node::block_time(const Hash256& hash, OnAnswer<std::uint32_t> done) {
    const auto read = [this](const json& header) {
        const std::uint64_t time = header.is_object() ? count_in(header, "time") : 0;
        if (time == 0 || time > 0xffffffff) wrong_form(*this, "getblockheader without the block's time");
        return static_cast<std::uint32_t>(time);
    };
    call<std::uint32_t>("getblockheader", json::array({hash.hex(), true}), read, std::move(done));
}

void Node::standing(const Hash256& hash, OnAnswer<ChainPosition> done) {
    best_block_hash([this, hash, done = std::move(done)](Answer<Hash256> best) {
        if (best.failure()) return done(best.failure());
        if (best.take() == hash) return done(ChainPosition::kOnBestChain);
        rpc_.call("getblockheader", json::array({hash.hex(), true}), [this, hash, done](Answer<json> reply) {
            auto answer = Answer<HeaderPlace>::of([&] { return place_of(reply); });
            if (answer.failure()) return done(answer.failure());
            const HeaderPlace place = answer.take();
            if (place.position != ChainPosition::kOnBestChain) return done(place.position);
            // btcd counts confirmations by height, on whatever branch the block is: what stands at its height tells.
            const auto compare = [this, hash](const json& result) {
                return hash_of(*this, result) == hash ? ChainPosition::kOnBestChain : ChainPosition::kSideChain;
            };
            call<ChainPosition>("getblockhash", json::array({place.height}), compare, done);
        });
    });
}

void Node::submit_block(const std::string& params, OnAnswer<BlockReply> done) {
    const CallLimits limits;
    rpc_.call_raw("submitblock", params, limits, [this, limits, done = std::move(done)](Answer<RawReply> answer) {
        done(Answer<BlockReply>::of([&] {
            const RawReply raw = answer.take();
            try {
                return judge_submit_result(
                    parse_rpc_reply(raw.status, raw.body, {name(), "submitblock", limits.values}));
            } catch (const RpcError& error) {
                if (error.failure != RpcFailure::kRefused) throw;
                // Some nodes say in the error what others say in the result.
                BlockReply reply = judge_submit_result(error.message.empty() ? json("rejected") : json(error.message));
                if (reply.words.empty() && reply.verdict != SubmitVerdict::kAccepted) reply.words = error.what();
                return reply;
            }
        }));
    });
}

std::string submit_params(const std::string& block_hex, const std::string& work_id) {
    std::string text = "[\"" + block_hex + '"';
    if (!work_id.empty()) text += ',' + json{{"workid", work_id}}.dump();
    return text + ']';
}

}  // namespace gpuminer::net
