// One rank's part of a search: its devices, their observers, and its worker.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/run/setup.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "mpi/communicator.hpp"
#include "mpi/rank_worker.hpp"

namespace gpuminer::mpi {

/// CPU threads are divided among the ranks of a machine, unless they are bound to parts of it, or the user says more.
[[nodiscard]] DeviceSelection share_of(DeviceSelection selection, const Communicator& communicator);

/// For one search after another. Throws InputError.
[[nodiscard]] std::unique_ptr<RankDevices> open_devices(const Communicator& communicator, const Options& options,
                                                        const ProgramSetup& setup);

/// Collective: RankReports by rank, of ranks that have nothing to search.
[[nodiscard]] std::vector<std::string> gather_idle_reports(Communicator& communicator);

/// Of one search.
class RankPart {
public:
    RankPart(Communicator& communicator, RankDevices& devices, const RankStart& start, const Options& options,
             const ProgramSetup& setup);

    [[nodiscard]] RankWorker& worker() { return *worker_; }
    /// A RankReport as bytes, once the worker has ended. `counter_hz`: of the cycle counter; 0: not measured.
    [[nodiscard]] std::string report(double counter_hz);

private:
    Communicator& communicator_;
    std::optional<RankSearch> search_;
    std::atomic<Search*> searching_ = nullptr;  ///< the search's own, from when a device is watched
    std::unique_ptr<SensorThread> sensors_;  ///< pauses devices of the search; null: nobody asks for what it measures
    std::optional<RankWorker> worker_;
};

}  // namespace gpuminer::mpi
