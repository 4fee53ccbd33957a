// Tests of the metrics' text; tests/live/test_http.py has Prometheus' own tools read it.
#include "web/metrics.hpp"

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/web/sample.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;

TEST_CASE("every metric has its type, its help and at least one sample, and values are escaped") {
    Monitor monitor({.command = "pool", .has_server = true});
    SensorReport sensors;
    sensors.devices["cuda:sm_90#0"].temperature_c = 61.5;
    sensors.devices["cpu:avx2#0"].temperature_c = 72;
    sensors.cpu_energy_j = 5;
    monitor.measured(sensors);
    monitor.sample(pool_sample());
    std::istringstream lines(monitor.metrics());
    std::map<std::string, std::string> types;
    std::map<std::string, int> samples;
    std::set<std::string> texts;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first, second, third;
        words >> first >> second >> third;
        texts.insert(line);
        if (first == "#") {
            if (second == "TYPE") words >> types[third];
            continue;
        }
        ++samples[line.substr(0, line.find_first_of("{ "))];
    }
    for (const auto& [name, type] : types) {
        CAPTURE(name);
        CHECK(name.starts_with("gpuminer_"));
        CHECK(samples[name] > 0);
        CHECK((type == "counter") == name.ends_with("_total"));
    }
    CHECK(samples.size() == types.size());
    CHECK(texts.count("gpuminer_hashes_total 3000") == 1);
    CHECK(texts.count("gpuminer_shares_total{result=\"accepted\"} 12") == 1);
    for (const char* refusals :
         {"low difficulty\"} 2", "stale\"} 1", "duplicate\"} 0", "unauthorised\"} 0", "other\"} 0"}) {
        CHECK(texts.count("gpuminer_share_refusals_total{reason=\"" + std::string(refusals)) == 1);
    }
    CHECK_FALSE(contains(monitor.metrics(), "quoted"));  // the server's words
    CHECK(texts.count("gpuminer_server_latency_seconds 0.0385") == 1);
    CHECK(texts.count("gpuminer_device_errors_total{device=\"cuda:sm_90#0\"} 7") == 1);
    CHECK(texts.count("gpuminer_device_paused{device=\"cuda:sm_90#0\"} 1") == 1);
    CHECK(texts.count("gpuminer_device_temperature_celsius{device=\"cuda:sm_90#0\"} 61.5") == 1);
    CHECK(samples["gpuminer_device_temperature_celsius"] == 1);
    CHECK(texts.count("gpuminer_cpu_temperature_celsius 72") == 1);
    CHECK(texts.count("gpuminer_cpu_energy_joules_total 5") == 1);
    CHECK(texts.count("gpuminer_idle{reason=\"paused\"} 0") == 1);
    CHECK(contains(monitor.metrics(), "model=\"Model \\\"X\\\" \\\\ of cpu:avx2#0\""));
}

TEST_CASE("of a search without a server nothing is told of one") {
    const Monitor monitor({.command = "mine", .has_server = false});
    CHECK_FALSE(contains(monitor.metrics(), "shares"));
    CHECK_FALSE(contains(monitor.metrics(), "connected"));
}
