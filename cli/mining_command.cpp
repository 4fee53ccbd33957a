// The commands pool and solo.
#include <utility>

#include "cli/commands.hpp"
#include "cli/run/mining_run.hpp"
#include "cli/run/observers.hpp"
#include "host/search/fleet.hpp"
#include "net/pool/client.hpp"
#include "net/solo/client.hpp"

namespace gpuminer {
namespace {

int run_mining(const Options& options, SignalThread& signals, const ProgramSetup& setup,
               const MiningRun::Connect& connect) {
    Observers observers(options);
    const bool waits_for_drivers = !options.devices.devices.empty();
    if (!waits_for_drivers) signals.expect_session();
    Fleet fleet(built_in_backends(), options.devices, setup.fleet_times);
    signals.expect_session();
    observers.begin();
    const int exit_code = MiningRun(options, setup, signals, fleet, observers).run(connect);
    observers.finish(signals.stop_signal() != 0);
    return exit_code;
}

}  // namespace

// Files are read before run_mining(): a file system may hang, and from there on a signal waits for the summary.

int run_pool(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    net::PoolOptions pool = options.mining.pool;
    net::read_files(pool);
    return run_mining(options, signals, setup,
                      [&](net::WorkCallbacks callbacks) { return net::make_pool_client(pool, std::move(callbacks)); });
}

int run_solo(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    const net::SoloNodes nodes = net::find_nodes(options.mining.solo);
    return run_mining(options, signals, setup, [&](net::WorkCallbacks callbacks) {
        return net::make_solo_client(options.mining.solo, nodes, std::move(callbacks));
    });
}

}  // namespace gpuminer
