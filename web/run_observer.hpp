// RunObserver: the interface of everything that follows a run: events, page, terminal, alerts, service manager, odds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/notices.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"
#include "net/work_client.hpp"

namespace gpuminer::web {

/// A moment of a run.
struct RunSample {
    SearchProgress progress = {};
    double hash_rate = 0;  ///< hashes per second, over the last few seconds
    std::vector<DeviceStatus> devices = {};
    net::WorkStatus status = {};  ///< of the server; without one: all zero
    std::string text = {};        ///< the progress line
};

/// The document that --json prints, on one line; made only for those who want it. Empty: of a list of hits that would
/// have many more than `most` bytes.
using DocumentText = std::function<std::string(std::size_t most)>;

/// Called from any thread, but `second` from one thread only. Each returns at once, but for `end`.
class RunObserver {
public:
    RunObserver() = default;
    virtual ~RunObserver() = default;
    RunObserver(const RunObserver&) = delete;
    RunObserver& operator=(const RunObserver&) = delete;

    virtual void device(const DeviceInfo& /*ready*/) {}
    virtual void job(const MiningJob* /*null: there is no work*/) {}
    virtual void answered(const net::AnsweredFind& /*find*/) {}
    virtual void second(const RunSample& /*now*/) {}  ///< once a second
    virtual void measured(const SensorReport& /*sensors*/) {}
    virtual void hot(const HotDevice& /*paused*/) {}
    virtual void notice(const Notice& /*logged*/) {}
    virtual void end(const DocumentText& /*document*/) {}  ///< of one search; of an error, too
};

}  // namespace gpuminer::web
