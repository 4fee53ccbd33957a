// Simulated full nodes on a common tree of blocks, and what they reply to calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/steady_time.hpp"

namespace gpuminer::simulation {

class SoloWorld;

/// All blocks that anybody has made, by hash (display order, hex digits).
struct BlockTree {
    struct Block {
        std::string previous;
        std::uint64_t height = 0;
    };
    std::map<std::string, Block> blocks;
    std::uint64_t made = 0;  ///< by others

    BlockTree();
    /// Somebody else's block.
    std::string make(const std::string& previous);
    [[nodiscard]] std::uint64_t height(const std::string& hash) const { return blocks.at(hash).height; }
};

struct NodeReply {
    int status = 200;
    std::string body;
};

/// How nodes differ.
struct NodeTraits {
    bool is_btcd = false;
    bool has_peers = true;  ///< they get its blocks
    std::string chain = "regtest";
    nlohmann::json block_template = nullptr;  ///< but for what follows from the tip; null: an empty one of now
};

class NodeModel {
public:
    using Reply = std::function<void(NodeReply)>;

    NodeModel(SoloWorld& world, std::size_t number, NodeTraits node_traits);
    virtual ~NodeModel() = default;
    NodeModel(const NodeModel&) = delete;
    NodeModel& operator=(const NodeModel&) = delete;

    /// A call arrives. `reply` may be called later, once, or never.
    virtual void serve(const std::string& method, const nlohmann::json& params, const Reply& reply);
    /// Something happens: a block of somebody else's, a fork, a restart, a time of being busy.
    void live();
    /// It runs, and knows all blocks.
    void calm_down();
    /// A block comes from elsewhere, with those before it.
    void hear_of(const std::string& hash);
    /// It forgets the block on its tip, as in a crash.
    void lose_tip();
    void set_up(bool up) { up_ = up; }

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string host() const;
    [[nodiscard]] std::string url() const { return "http://" + host() + ":18443"; }
    [[nodiscard]] bool up() const { return up_; }
    [[nodiscard]] const std::string& tip() const { return tip_; }

protected:
    /// All that it knows is this block.
    void begin_at(const std::string& hash, std::uint64_t height);

    SoloWorld& world_;
    NodeTraits traits_;

private:
    void restart();
    void move_tip(const std::string& hash);
    void spread(const std::string& hash);
    [[nodiscard]] bool is_on_best_chain(const std::string& hash) const;
    [[nodiscard]] nlohmann::json block_template() const;
    [[nodiscard]] nlohmann::json submit(const std::string& block);
    [[nodiscard]] nlohmann::json header_of(const std::string& hash) const;
    [[nodiscard]] nlohmann::json answer(const std::string& method, const nlohmann::json& params);

    const std::size_t number_;
    bool up_ = true;
    net::SteadyTime warm_at_{}, busy_until_{}, wrong_until_{};
    std::string tip_;
    std::set<std::string> known_;
    std::map<std::string, net::SteadyTime> known_since_;  ///< of what it may forget in a crash
    std::vector<Reply> long_polls_;
};

}  // namespace gpuminer::simulation
