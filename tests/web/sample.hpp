// A moment of a pool's run, for tests of its documents.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "web/monitor.hpp"

namespace gpuminer::test {

inline DeviceStatus device_status(const std::string& name, std::uint64_t hashes) {
    DeviceStatus status;
    status.report.info.name = name;
    status.report.info.backend = name.substr(0, name.find(':'));
    status.report.info.model = "Model \"X\" \\ of " + name;
    status.report.hashes = hashes;
    status.report.seconds = 2.5;
    return status;
}

inline web::RunSample pool_sample() {
    web::RunSample sample;
    sample.progress.hashes_done = 3'000;
    sample.progress.best = target_from_difficulty(1234);
    sample.hash_rate = 1e6;
    sample.devices = {device_status("cpu:avx2#0", 1'000), device_status("cuda:sm_90#0", 2'000)};
    sample.devices[1].paused_for_heat = true;
    sample.devices[1].report.wrong_candidates = 7;
    sample.status.connected = sample.status.logged_in = true;
    sample.status.server = "stratum+tcp://pool.example:3333";
    sample.status.difficulty = 8;
    sample.status.network_difficulty = 1e14;
    sample.status.accepted = 12;
    sample.status.rejected = 2;
    sample.status.stale = 1;
    sample.status.latency_ms = 38.5;
    for (const auto kind :
         {net::RefusalKind::kLowDifficulty, net::RefusalKind::kStale, net::RefusalKind::kLowDifficulty})
        sample.status.refusals.add(kind);
    sample.status.reject_reasons = {{"Above target", 1}, {"a \"quoted\" reason\nwith a line break", 1}};
    sample.status.details = {{"height", 900'000}, {"bip54", false}, {"payment", nullptr}};
    return sample;
}

}  // namespace gpuminer::test
