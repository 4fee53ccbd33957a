// Tests of what owners of a device can pass on of a run.
#include <set>
#include <string>

#include "bench/document/submission.hpp"
#include "tests/bench/bench_tools.hpp"
#include "tests/catch.hpp"

namespace gpuminer::bench {
namespace {

// Whoever adds one asks whether it says something of a person or a machine.
const std::set<std::string> kAllowed = {
    // of the document
    "format", "format_version", "program_version", "time", "commit", "algorithm", "ending", "verified", "devices",
    // of a device
    "name", "backend", "model", "driver", "api", "code", "units", "clock_mhz", "memory_bytes", "software",
    "description", "rates",
    // of a rate
    "form", "rounds", "median", "p10", "p90", "setup", "operations_per_hash", "limit", "share_of_limit",
    "cycles_per_hash", "power_w", "joules_per_gh", "max_temperature_c", "hits_compared"};

void collect_keys(const Json& json, std::set<std::string>& keys) {
    if (!json.is_structured()) return;
    for (const auto& [name, value] : json.items()) {
        if (json.is_object()) keys.insert(name);
        collect_keys(value, keys);
    }
}

/// A run with a GPU, and with all that could tell where and whose it is.
Document run_of_someone() {
    Document document = test::sample_document();
    document.label = "label-of-alice";
    document.command = "gpuminer bench --label label-of-alice";
    document.notes = document.warnings = {"note about alice"};
    document.machine["host"] = "alice-laptop";
    for (const char* const field : {"uuid", "pci", "serial", "host", "path"}) document.devices[0][field] = "alice's";
    document.devices.push_back({{"name", "opencl:gpu#1"}, {"model", "not measured alone"}});
    Measurement alone = document.measurements.front();
    alone.name = "opencl:gpu#0 rolled";
    for (const char* const field : {"threads", "host", "remark", "isa"}) alone.details[field] = "alice's";
    document.measurements.push_back(alone);
    document.measurements.push_back(alone);
    document.measurements.back().workload = "latency";
    return document;
}

TEST_CASE("what is passed on has the fields of a list, and no other") {
    const std::string text = submission(run_of_someone());
    std::set<std::string> keys;
    collect_keys(Json::parse(text), keys);
    CHECK(keys == kAllowed);
    CHECK(text.find("alice") == std::string::npos);
}

TEST_CASE("what is passed on has each device that was measured alone, its rates, and whether they were verified") {
    Document document = run_of_someone();
    const Json json = Json::parse(submission(document));
    CHECK(json["verified"] == true);
    REQUIRE(json["devices"].size() == 1);
    const Json& device = json["devices"][0];
    CHECK(device["name"] == "opencl:gpu#0");
    CHECK(device["driver"] == "1.0");
    CHECK(device["clock_mhz"].is_null());  // not known
    REQUIRE(device["rates"].size() == 1);
    const Json& rate = device["rates"][0];
    CHECK(rate["form"] == "rolled");
    CHECK(rate["setup"] == "warm");
    CHECK(rate["median"] == 11.6e6);
    CHECK(rate["rounds"] == 4);

    document.failures = {"opencl:gpu#0 missed a hit"};
    document.measurements.clear();
    const Json failed = Json::parse(submission(document));
    CHECK(failed["verified"] == false);
    CHECK(failed["devices"].empty());
}

}  // namespace
}  // namespace gpuminer::bench
