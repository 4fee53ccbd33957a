// Settings for tests of workloads that open no device.
#pragma once

#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/workload.hpp"

namespace gpuminer::test {

struct BenchSetting {
    bench::Options options = {};
    std::stop_source stop = {};
    std::vector<std::string> notes = {};
    bench::OpenDevices devices{{}, {}, [](const std::string&) {}};
    bench::Setting setting{options, stop.get_token(), devices,
                           [this](const std::string& sentence) { notes.push_back(sentence); }};
};

inline const bench::Row& row_named(const bench::Rows& rows, const std::string& name) {
    for (const bench::Row& row : rows.rows) {
        if (row.name == name) return row;
    }
    throw std::out_of_range("there is no row '" + name + "'");
}

}  // namespace gpuminer::test
