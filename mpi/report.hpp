// The reports of all ranks, merged into one.
#pragma once

#include <string>
#include <vector>

#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer::mpi {

struct CommonReport {
    SearchReport search;
    SensorReport sensors;
};

/// Of RankReports, as bytes. Devices are named as name_in_table() says. The energy of CPUs is that of all machines;
/// empty where one of them does not tell.
[[nodiscard]] CommonReport add_up(const std::vector<std::string>& reports);

}  // namespace gpuminer::mpi
