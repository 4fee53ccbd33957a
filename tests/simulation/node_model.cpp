#include "tests/simulation/node_model.hpp"

#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tests/net/node/node_block.hpp"
#include "tests/simulation/solo_world.hpp"

namespace gpuminer::simulation {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint32_t kStart = 1'700'000'000;  // unix_milliseconds() begins there, too

json error(int code, const char* message) { return {{"error", {{"code", code}, {"message", message}}}}; }
json result(json value) { return {{"result", std::move(value)}}; }

std::string previous_of(const std::string& block) {
    std::string previous;  // bytes 4 to 35, reversed
    for (std::size_t i = 35; i >= 4; --i) previous += block.substr(2 * i, 2);
    return previous;
}

}  // namespace

BlockTree::BlockTree() { blocks[std::string(63, '0') + '1'] = {"", 100}; }

std::string BlockTree::make(const std::string& previous) {
    const std::string hash = fmt::format("{:064x}", 0x1000 + ++made);
    blocks[hash] = {previous, height(previous) + 1};
    return hash;
}

NodeModel::NodeModel(SoloWorld& world, std::size_t number, NodeTraits node_traits)
    : world_(world),
      traits_(std::move(node_traits)),
      number_(number),
      tip_(world.tree.blocks.begin()->first),
      known_{tip_} {}

void NodeModel::begin_at(const std::string& hash, std::uint64_t height) {
    world_.tree.blocks[hash] = {"", height};
    tip_ = hash;
    known_ = {hash};
}

std::string NodeModel::host() const { return fmt::format("node{}.example.com", number_); }

bool NodeModel::is_on_best_chain(const std::string& hash) const {
    const std::uint64_t height = world_.tree.height(hash);
    std::string at = tip_;
    while (world_.tree.height(at) > height) at = world_.tree.blocks.at(at).previous;
    return at == hash;
}

void NodeModel::hear_of(const std::string& hash) {
    for (std::string at = hash; !at.empty() && known_.insert(at).second; at = world_.tree.blocks.at(at).previous) {
        known_since_[at] = world_.time.now();
    }
    if (world_.tree.height(hash) > world_.tree.height(tip_)) move_tip(hash);
}

void NodeModel::move_tip(const std::string& hash) {
    if (world_.tree.blocks.at(hash).previous != tip_) ++world_.tally["reorganisations"];
    tip_ = hash;
    world_.trace(fmt::format("node {} is at {} ({})", number_, world_.tree.height(hash), hash));
    for (const Reply& reply : std::exchange(long_polls_, {})) {
        reply({200, json{{"result", block_template()}, {"error", nullptr}, {"id", 0}}.dump()});
    }
}

void NodeModel::lose_tip() {
    known_.erase(tip_);
    known_since_.erase(tip_);
    move_tip(world_.tree.blocks.at(tip_).previous);
}

void NodeModel::spread(const std::string& hash) {
    if (!traits_.has_peers) return;
    for (const auto& node : world_.nodes) {
        const auto delay = some_time(world_.random, milliseconds(5), seconds(2));
        world_.time.after(delay, [&node = *node, hash] {
            if (node.up()) node.hear_of(hash);
        });
    }
}

void NodeModel::live() {
    Random& random = world_.random;
    const net::SteadyTime now = world_.time.now();
    if (!up_) return;
    if (random.percent(55)) {  // somebody's block
        spread(world_.tree.make(tip_));
    } else if (random.percent(20) && world_.tree.height(tip_) > 100) {  // another branch overtakes
        const std::string rival = world_.tree.make(world_.tree.blocks.at(tip_).previous);
        spread(rival);
        if (random.percent(70)) spread(world_.tree.make(rival));
    } else if (random.percent(30)) {
        busy_until_ = now + some_time(random, milliseconds(100), seconds(8));
    } else if (random.percent(30)) {
        wrong_until_ = now + some_time(random, milliseconds(100), seconds(5));
    } else {
        restart();
    }
}

void NodeModel::restart() {
    ++world_.tally["restarts"];
    world_.trace(fmt::format("node {} goes down", number_));
    up_ = false;
    long_polls_.clear();
    if (world_.random.one_in(3)) {  // a crash: the last blocks were not on its disk yet
        const auto lost = some_time(world_.random, milliseconds(100), seconds(10));
        for (auto block = known_since_.begin(); block != known_since_.end();) {
            const bool forgotten = world_.time.now() - block->second < lost;
            if (forgotten) known_.erase(block->first);
            block = forgotten ? known_since_.erase(block) : std::next(block);
        }
        while (!known_.contains(tip_)) tip_ = world_.tree.blocks.at(tip_).previous;
    }
    world_.time.after(some_time(world_.random, milliseconds(50), seconds(20)), [this] {
        if (up_) return;
        up_ = true;
        warm_at_ = world_.time.now() + some_time(world_.random, milliseconds(10), seconds(3));
        for (const auto& node : world_.nodes) {
            if (node->up()) hear_of(node->tip());
        }
    });
}

void NodeModel::calm_down() {
    up_ = true;
    warm_at_ = busy_until_ = wrong_until_ = {};
    for (const auto& [hash, block] : world_.tree.blocks) hear_of(hash);
}

void NodeModel::serve(const std::string& method, const json& params, const Reply& reply) {
    const net::SteadyTime now = world_.time.now();
    if (now < busy_until_) {
        ++world_.tally["503"];
        return reply({503, "Work queue depth exceeded"});
    }
    if (now < wrong_until_ && world_.random.one_in(2)) {
        ++world_.tally["wrong replies"];
        return reply({200, world_.random.one_in(2) ? "<html>" : R"({"result":{"chain":7},"error":null})"});
    }
    json body = {{"result", nullptr}, {"error", nullptr}, {"id", 0}};
    if (now < warm_at_) {
        body.update(error(-28, "Loading block index"));
    } else if (method == "getblocktemplate" && params.at(0).value("longpollid", "") == tip_) {
        long_polls_.push_back(reply);
        return;
    } else {
        body.update(answer(method, params));
    }
    reply({body.at("error").is_null() ? 200 : 500, body.dump()});
}

json NodeModel::answer(const std::string& method, const json& params) {
    if (method == "getblockchaininfo") {
        return result({{"chain", traits_.chain}, {"blocks", 1}, {"headers", 1}, {"initialblockdownload", false}});
    }
    if (method == "getconnectioncount") return result(8);
    if (method == "version" && traits_.is_btcd) return result({{"btcdjsonrpcapi", json::object()}});
    if (method == "getbestblockhash") return result(tip_);
    if (method == "getblocktemplate") return result(block_template());
    if (method == "submitblock") return result(submit(params.at(0)));
    if (method == "getblockheader") return header_of(params.at(0));
    if (method == "getblockhash") {
        for (std::string at = tip_; !at.empty(); at = world_.tree.blocks.at(at).previous) {
            if (world_.tree.height(at) == params.at(0)) return result(at);
        }
        return error(-8, "Block height out of range");
    }
    return error(-32601, "Method not found");
}

json NodeModel::block_template() const {
    const auto time = kStart + std::chrono::floor<seconds>(world_.time.now().time_since_epoch()).count();
    json block_template = traits_.block_template;
    if (block_template.is_null()) {
        block_template = {{"version", 0x20000000},
                          {"bits", "207fffff"},
                          {"target", "7fffff" + std::string(58, '0')},
                          {"curtime", time},
                          {"mintime", time - 3600},
                          {"coinbasevalue", 5'000'000'000},
                          {"transactions", json::array()},
                          {"rules", {"csv", "!segwit"}}};
    }
    block_template.update(
        {{"previousblockhash", tip_}, {"height", world_.tree.height(tip_) + 1}, {"longpollid", tip_}});
    return block_template;
}

json NodeModel::submit(const std::string& block) {
    const std::string hash = test::hash_of_block(block), previous = previous_of(block);
    world_.trace(fmt::format("node {} gets block {} on {}", number_, hash, previous));
    if (known_.contains(hash)) return "duplicate";
    if (!known_.contains(previous)) return "prev-blk-not-found";
    if (!world_.calm && world_.random.one_in(20)) return "time-too-new";
    const std::uint64_t height = world_.tree.height(previous) + 1;
    if (const std::string fault = test::bip54_fault(block, height); !fault.empty()) {
        world_.fail(fmt::format("block {} is wrong: {}", hash, fault));
        return fault;
    }
    world_.tree.blocks[hash] = {previous, height};
    hear_of(hash);
    spread(hash);
    if (tip_ != hash) return "inconclusive";
    return nullptr;
}

json NodeModel::header_of(const std::string& hash) const {
    if (!known_.contains(hash)) return error(-5, "Block not found");
    const bool on_best_chain = is_on_best_chain(hash);
    if (traits_.is_btcd && !on_best_chain) return error(-5, "Block not found");
    const std::uint64_t height = world_.tree.height(hash);
    const std::int64_t depth = static_cast<std::int64_t>(world_.tree.height(tip_) - height) + 1;
    return result({{"time", kStart}, {"height", height}, {"confirmations", on_best_chain ? depth : -1}});
}

}  // namespace gpuminer::simulation
