// A stage on virtual time for the pool's client: pools of the simulator's model that do as a test says, and a disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/pool/options.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::test {

using simulation::PoolTraits;
using simulation::Wire;

/// Servers run and connections stay, but for what the test does to them.
class Stage final : public simulation::ShareWatcher {
public:
    Stage() : world(1, tally_, *this) { world.calm = true; }

    /// Lets time go by.
    void pass(std::chrono::milliseconds time);
    /// Entries of the journal that are on disk.
    [[nodiscard]] const std::vector<nlohmann::json>& journal() const { return journal_; }
    [[nodiscard]] std::size_t count(const std::string& event) const;

    void journalled(const nlohmann::json&) override {}
    void released(const nlohmann::json&) override {}
    void durable(const nlohmann::json& entry) override { journal_.push_back(entry); }
    void killed() override {}
    void sent(const Wire&, const nlohmann::json&) override {}
    void accepted(const nlohmann::json&, const std::string&) override {}
    void refused(const nlohmann::json&, const std::string&) override {}
    void told(const std::vector<std::uint32_t>&) override {}
    void look_for_held_back(std::size_t) override {}

private:
    simulation::Tally tally_;
    std::vector<nlohmann::json> journal_;

public:
    simulation::PoolWorld world;
};

struct SeenShare {
    int connection = 0;
    nlohmann::json params;
    std::string verdict;  ///< "accepted", or the reason
};

/// One of the stage's pools, which remembers what comes.
class ScriptedPool {
public:
    explicit ScriptedPool(Stage& stage, PoolTraits traits = {});

    simulation::PoolModel& operator*() { return model_; }
    simulation::PoolModel* operator->() { return &model_; }
    [[nodiscard]] const std::string& place() const { return place_; }
    [[nodiscard]] int connections() const { return model_.connections(); }
    [[nodiscard]] const std::vector<SeenShare>& shares() const { return shares_; }
    [[nodiscard]] std::size_t count(const std::string& verdict) const;
    /// What came, over all connections.
    [[nodiscard]] const std::vector<nlohmann::json>& messages() const { return messages_; }
    /// The same, of one method.
    [[nodiscard]] std::vector<nlohmann::json> requests(const std::string& method) const;

private:
    [[nodiscard]] PoolTraits recorded(PoolTraits traits);

    std::vector<nlohmann::json> messages_;
    std::vector<SeenShare> shares_;
    simulation::PoolModel& model_;
    const std::string place_;
};

/// Where no pool can be reached.
[[nodiscard]] std::string closed_place(Stage& stage);

[[nodiscard]] inline net::PoolOptions pool_options(const Stage&, const std::vector<std::string>& urls) {
    return pool_options(std::filesystem::path("journal"), urls);
}

/// A call of a method, as a pool sends it.
[[nodiscard]] std::string call(const std::string& method, const nlohmann::json& params);
/// A reply to a request.
[[nodiscard]] std::string acceptance(const nlohmann::json& request, const nlohmann::json& result = true);
[[nodiscard]] std::string refusal(const nlohmann::json& request, const nlohmann::json& error);

}  // namespace gpuminer::test
