#include "bench/document/submission.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "bench/document/statistics.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::bench {
namespace {

constexpr std::string_view kWorkload = "scan";

/// Those fields of `from` that are named; null where it has none.
void take(Json& into, const Json& from, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        const auto found = from.find(name);
        into[name] = found != from.end() ? *found : Json(nullptr);
    }
}

Json rate_json(const Measurement& measurement, std::string_view form) {
    const Spread spread = spread_of(measurement.values());
    Json json{{"form", form},
              {"rounds", measurement.rounds.size()},
              {"median", spread.median},
              {"p10", spread.low},
              {"p90", spread.high}};
    take(json, measurement.details,
         {"setup", "operations_per_hash", "limit", "share_of_limit", "cycles_per_hash", "power_w", "joules_per_gh",
          "max_temperature_c", "hits_compared"});
    return json;
}

/// Rates of a device alone; none where it was measured only together with others.
Json rates_of(const Document& document, const std::string& device) {
    Json rates = Json::array();
    for (const Measurement& measurement : document.measurements) {
        const bool is_its = measurement.workload == kWorkload && measurement.name.starts_with(device + " ");
        if (is_its && !measurement.rounds.empty())
            rates.push_back(rate_json(measurement, std::string_view(measurement.name).substr(device.size() + 1)));
    }
    return rates;
}

Json devices_json(const Document& document) {
    Json devices = Json::array();
    for (const Json& facts : document.devices) {
        Json rates = rates_of(document, facts.value("name", ""));
        if (rates.empty()) continue;
        Json device;
        take(device, facts,
             {"name", "backend", "model", "driver", "api", "code", "units", "clock_mhz", "memory_bytes", "software",
              "description"});
        device["rates"] = std::move(rates);
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace

std::string submission(const Document& document) {
    Json head{{"format", "gpuminer submission"},
              {"format_version", 1},
              {"program_version", document.program.value("version", "")},
              {"time", document.time},
              {"commit", document.program.value("commit", "")},
              {"algorithm", document.algorithm},
              {"ending", document.ending},
              {"verified", document.failures.empty()}};
    std::string text;
    for (const auto& [name, value] : head.items()) text += fmt::format(" \"{}\": {},\n", name, json_text(value));
    const Json devices = devices_json(document);
    std::string lines;
    for (const Json& device : devices) lines += (lines.empty() ? "\n  " : ",\n  ") + json_text(device);
    return fmt::format("{{\n{} \"devices\": [{}]\n}}\n", text, lines);
}

}  // namespace gpuminer::bench
