// The parts of a schedule of solo mining: the blocks that there are, nodes, the blocks that are found, runs of the
// client.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "net/journal/journal.hpp"
#include "net/solo/supervisor.hpp"
#include "net/transport/off_loop.hpp"
#include "tests/simulation/block_ledger.hpp"
#include "tests/simulation/node_model.hpp"
#include "tests/simulation/world.hpp"

namespace gpuminer::simulation {

class SoloWorld : public World {
public:
    /// `is_judged`: the ledger is told of all that happens; otherwise the test looks at it.
    SoloWorld(std::uint64_t seed, Tally& counts, bool is_judged = true)
        : World(seed, counts, is_judged ? static_cast<DiskWatcher&>(ledger) : nobody_),
          judged(is_judged),
          ledger(*this) {}
    [[nodiscard]] static SoloWorld& current() { return static_cast<SoloWorld&>(World::current()); }

    const bool judged;
    BlockLedger ledger;
    BlockTree tree;
    std::vector<std::unique_ptr<NodeModel>> nodes;

private:
    struct Nobody final : DiskWatcher {
        void journalled(const nlohmann::json&) override {}
        void released(const nlohmann::json&) override {}
        void durable(const nlohmann::json&) override {}
        void killed() override {}
    } nobody_;
};

/// A run of the client, as SoloClient's but without a thread; gone, it was killed.
struct SoloRun {
    SoloRun(const net::SoloOptions& options, const net::SoloNodes& nodes, net::WorkCallbacks callbacks,
            std::uint64_t seed)
        : state(loop, options, nodes, std::move(callbacks), seed),
          journal(options.journal,
                  {.say = {},
                   .changed = [this, post = loop.poster()] { post([this] { supervisor.journal_changed(); }); },
                   .stopped = {}}),
          off_loop(loop),
          supervisor(state, off_loop, journal, [] {}) {}

    net::EventLoop loop;
    net::SoloState state;
    net::Journal journal;
    net::OffLoop off_loop;
    net::SoloSupervisor supervisor;
};

}  // namespace gpuminer::simulation
