// The parts of a schedule of solo mining: the blocks that there are, nodes, and the blocks that are found.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/simulation/block_ledger.hpp"
#include "tests/simulation/node_model.hpp"
#include "tests/simulation/world.hpp"

namespace gpuminer::simulation {

class SoloWorld : public World {
public:
    SoloWorld(std::uint64_t seed, Tally& counts) : World(seed, counts, ledger), ledger(*this) {}
    [[nodiscard]] static SoloWorld& current() { return static_cast<SoloWorld&>(World::current()); }

    BlockLedger ledger;
    BlockTree tree;
    std::vector<std::unique_ptr<NodeModel>> nodes;
};

}  // namespace gpuminer::simulation
