#include "tests/net/pool/scripted_pool.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tests/net/eventually.hpp"

namespace gpuminer::test {

using nlohmann::json;
using simulation::PoolModel;
using simulation::VirtualTime;

namespace {

PoolModel& add_pool(Stage& stage, PoolTraits traits) {
    auto& pools = stage.world.pools;
    return *pools.emplace_back(std::make_unique<PoolModel>(stage.world, pools.size(), std::move(traits)));
}

std::string place_of(const PoolModel& pool) { return fmt::format("pool{}.example.com:3333", pool.number()); }

}  // namespace

void Stage::pass(std::chrono::milliseconds time) {
    const net::SteadyTime last = world.time.now() + time;
    while (world.time.run_next(last)) {
    }
}

std::size_t Stage::count(const std::string& event) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(journal_, [&](const json& entry) { return entry["event"] == event; }));
}

ScriptedPool::ScriptedPool(Stage& stage, PoolTraits traits)
    : model_(add_pool(stage, recorded(std::move(traits)))), place_(place_of(model_)) {}

PoolTraits ScriptedPool::recorded(PoolTraits traits) {
    traits.intercept = [this, script = std::move(traits.intercept)](Wire& wire, const json& message) {
        messages_.push_back(message);
        return script && script(wire, message);
    };
    traits.before_reply = [this, script = std::move(traits.before_reply)](Wire& wire, const json& params,
                                                                          const std::string& error) {
        const std::string reason = error.empty() ? "accepted" : json::parse(error).at(1).get<std::string>();
        shares_.push_back({wire.side.number, params, reason});
        return script && script(wire, params, error);
    };
    return traits;
}

std::size_t ScriptedPool::count(const std::string& verdict) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(shares_, [&](const SeenShare& share) { return share.verdict == verdict; }));
}

std::vector<json> ScriptedPool::requests(const std::string& method) const {
    std::vector<json> found;
    std::ranges::copy_if(messages_, std::back_inserter(found),
                         [&](const json& message) { return message.value("method", "") == method; });
    return found;
}

std::string closed_place(Stage& stage) {
    PoolModel& pool = add_pool(stage, {});
    pool.shut_down_for_good();
    return place_of(pool);
}

std::string call(const std::string& method, const json& params) {
    return json({{"id", nullptr}, {"method", method}, {"params", params}}).dump();
}

std::string acceptance(const json& request, const json& result) {
    return json({{"id", request["id"]}, {"result", result}, {"error", nullptr}}).dump();
}

std::string refusal(const json& request, const json& error) {
    return json({{"id", request["id"]}, {"result", nullptr}, {"error", error}}).dump();
}

bool eventually(const std::function<bool()>& condition) {
    VirtualTime& time = VirtualTime::current();
    const net::SteadyTime last = time.now() + std::chrono::minutes(10);
    while (!condition()) {
        const net::SteadyTime before = time.now();
        do {
            if (!time.run_next(last)) return false;
        } while (time.now() == before);  // the condition itself may add tasks
    }
    return true;
}

}  // namespace gpuminer::test
