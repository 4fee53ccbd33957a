// The output of `pool` and `solo`: the summary, as text and as JSON, and the progress line.
#pragma once

#include <string>

#include "cli/terminal/output.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"
#include "net/work_client.hpp"
#include "web/rate_window.hpp"

namespace gpuminer {

struct MiningReport {
    const Algorithm* algorithm = &kSha256d;
    bool solo = false;         ///< blocks of one's own, and no shares
    bool each_device = false;  ///< in the table, however many there are
    SearchReport search;
    SensorReport sensors;
    net::WorkStatus status;
};

/// "39.80 MH/s, accepted 12, rejected 0, stale 0, a share every 7.6 s"
[[nodiscard]] std::string mining_progress_text(const SearchProgress& progress, double recent_rate,
                                               const net::WorkStatus& status, bool solo);

/// "speed 10s/60s/15m 39.8 39.7 n/a MH/s"
[[nodiscard]] std::string speed_text(const web::RateWindow& rates);
/// "accepted 12, rejected 0, stale 0, best difficulty 4,567"
[[nodiscard]] std::string shares_text(const net::WorkStatus& status, const SearchProgress& progress);
/// "stratum+tcp://… gives work, answers after 38 ms (median), difficulty 1,024"
[[nodiscard]] std::string connection_text(const net::WorkStatus& status);

void write_mining_text(Output& output, const MiningReport& report);
/// One document. `share_rate`: hashes per second that the accepted shares stand for.
[[nodiscard]] nlohmann::ordered_json mining_json(const MiningReport& report);

}  // namespace gpuminer
