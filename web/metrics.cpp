#include "web/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "gpuminer_build_info.hpp"
#include "host/text/text.hpp"
#include "web/idle.hpp"

namespace gpuminer::web {
namespace {

bool computes_on_cpu(const DeviceReport& device) { return device.info.is_cpu() || device.info.software; }

using Labels = std::initializer_list<std::pair<const char*, std::string_view>>;

/// A value's backslash, quote and line break, escaped.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : printable(value)) {
        if (c == '\\' || c == '"') text += '\\';
        text += c;
    }
    return text;
}

/// Metrics one after the other, each with its samples; one without is left out.
class Writer {
public:
    Writer& metric(const char* name, const char* type, const char* help) {
        name_ = name;
        head_ = fmt::format("# HELP gpuminer_{} {}\n# TYPE gpuminer_{} {}\n", name, help, name, type);
        return *this;
    }
    Writer& sample(double value, Labels labels = {}) {
        text_ += std::exchange(head_, "");
        std::string list;
        for (const auto& [label, content] : labels)
            list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label, escaped(content));
        text_ += fmt::format("gpuminer_{}{} {}\n", name_, list.empty() ? "" : "{" + list + "}", value);
        return *this;
    }
    [[nodiscard]] std::string finish() && { return std::move(text_); }

private:
    const char* name_ = "";
    std::string head_, text_;
};

double number(std::uint64_t count) { return static_cast<double>(count); }

void write_server(Writer& out, const net::WorkStatus& status) {
    out.metric("connected", "gauge", "Whether a pool or node gives work.").sample(status.connected ? 1 : 0);
    out.metric("shares_total", "counter", "Shares (pool) or blocks (solo) by the server's answer.");
    out.sample(number(status.accepted), {{"result", "accepted"}});
    out.sample(number(status.rejected), {{"result", "rejected"}}).sample(number(status.stale), {{"result", "stale"}});
    out.metric("share_refusals_total", "counter", "Refused shares by the kind of reason.");
    for (std::size_t kind = 0; kind < net::RefusalCounts::kNames.size(); ++kind)
        out.sample(number(status.refusals.all()[kind]), {{"reason", net::RefusalCounts::kNames[kind]}});
    out.metric("shares_unanswered", "gauge", "Shares without an answer yet.").sample(number(status.unanswered));
    out.metric("accepted_difficulty_total", "counter", "Sum of the difficulties of accepted shares.")
        .sample(status.accepted_difficulty);
    out.metric("blocks_total", "counter", "Blocks that a node has taken.").sample(number(status.blocks));
    out.metric("share_difficulty", "gauge", "Difficulty of the job's target.").sample(status.difficulty);
    out.metric("network_difficulty", "gauge", "Difficulty of a block.").sample(status.network_difficulty);
    if (status.latency_ms)
        out.metric("server_latency_seconds", "gauge", "Median time of the server's last answers to shares.")
            .sample(*status.latency_ms / 1000);
}

void write_devices(Writer& out, const std::vector<DeviceFacts>& devices) {
    using Value = std::optional<double>;
    const auto each = [&](const char* name, const char* type, const char* help, const auto& value_of) {
        out.metric(name, type, help);
        for (const DeviceFacts& facts : devices) {
            const Value value = value_of(facts, facts.device->report);
            if (value) out.sample(*value, {{"device", facts.device->report.info.name}});
        }
    };
    out.metric("device_info", "gauge", "The devices.");
    for (const DeviceFacts& facts : devices) {
        const DeviceInfo& info = facts.device->report.info;
        out.sample(1, {{"device", info.name}, {"backend", info.backend}, {"model", info.model}});
    }
    each("device_hashes_total", "counter", "Hashes of a device.",
         [](const DeviceFacts&, const DeviceReport& report) -> Value { return number(report.hashes); });
    each("device_scan_seconds_total", "counter", "Time that a device was at work.",
         [](const DeviceFacts&, const DeviceReport& report) -> Value { return report.seconds; });
    each("device_errors_total", "counter", "Candidates of a device that the checker refused.",
         [](const DeviceFacts&, const DeviceReport& report) -> Value { return number(report.wrong_candidates); });
    each("device_up", "gauge", "Whether a device takes part (0: it was taken out).",
         [](const DeviceFacts&, const DeviceReport& report) -> Value { return report.failure.empty() ? 1 : 0; });
    each("device_paused", "gauge", "Whether a device is paused, by the user or for its temperature.",
         [](const DeviceFacts& facts, const DeviceReport&) -> Value {
             return facts.device->paused_by_user || facts.device->paused_for_heat ? 1 : 0;
         });
    each("device_temperature_celsius", "gauge", "Temperature of a GPU.",
         [](const DeviceFacts& facts, const DeviceReport& report) {
             return computes_on_cpu(report) ? std::nullopt : facts.temperature_celsius;  // not once for each thread
         });
    each("device_power_watts", "gauge", "Power of a GPU.",
         [](const DeviceFacts& facts, const DeviceReport&) { return facts.power_watts; });
}

}  // namespace

std::string metrics_text(const MetricFacts& facts) {
    Writer out;
    out.metric("build_info", "gauge", "This program.")
        .sample(1, {{"version", kVersion}, {"commit", kCommit}, {"host", facts.host}});
    out.metric("uptime_seconds", "gauge", "Time since the start.").sample(facts.uptime_seconds);
    out.metric("hashes_total", "counter", "Hashes of all devices.").sample(number(facts.hashes));
    out.metric("hashes_per_second", "gauge", "Hash rate over the last few seconds.").sample(facts.hash_rate);
    out.metric("paused", "gauge", "Whether the search is paused.").sample(facts.paused ? 1 : 0);
    out.metric("idle", "gauge", "Whether nothing is searched, by the reason.");
    for (const std::string_view reason : kIdleReasons) out.sample(facts.idle == reason ? 1 : 0, {{"reason", reason}});
    out.metric("best_difficulty", "gauge", "Best difficulty ever, over all runs.").sample(facts.best_difficulty);
    if (facts.cpu_energy_joules)
        out.metric("cpu_energy_joules_total", "counter", "Energy of all CPU packages.")
            .sample(*facts.cpu_energy_joules);
    const auto is_warm_cpu = [](const DeviceFacts& device) {
        return computes_on_cpu(device.device->report) && device.temperature_celsius;
    };
    if (const auto cpu = std::ranges::find_if(facts.devices, is_warm_cpu); cpu != facts.devices.end())
        out.metric("cpu_temperature_celsius", "gauge", "Temperature of the hottest CPU package.")
            .sample(*cpu->temperature_celsius);
    if (facts.has_server) write_server(out, *facts.status);
    write_devices(out, facts.devices);
    return std::move(out).finish();
}

}  // namespace gpuminer::web
