#include "mpi/messages.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

#include "host/search/request_record.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::mpi {
namespace {

using Json = nlohmann::json;

Json json_of(std::string_view bytes) { return Json::from_cbor(bytes.begin(), bytes.end()); }

Json json_of(const std::vector<Interval>& intervals) {
    Json json = Json::array();
    for (const Interval& interval : intervals) {
        json.push_back(interval.first);
        json.push_back(interval.end);
    }
    return json;
}

Json json_of(const IntervalSet& set) {
    std::vector<Interval> intervals;
    for (const auto& [first, end] : set.intervals()) intervals.push_back({first, end});
    return json_of(intervals);
}

std::vector<Interval> intervals_of(const Json& json) {
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i + 1 < json.size(); i += 2)
        intervals.push_back({json[i].get<std::uint64_t>(), json[i + 1].get<std::uint64_t>()});
    return intervals;
}

IntervalSet set_of(const Json& json) {
    IntervalSet set;
    for (const Interval& interval : intervals_of(json)) set.add(interval);
    return set;
}

Json json_of(const std::vector<HitKey>& hits) {
    Json json = Json::array();
    for (const HitKey& hit : hits) {
        json.push_back(hit.version);
        json.push_back(hit.nonce);
    }
    return json;
}

std::vector<HitKey> hits_of(const Json& json) {
    std::vector<HitKey> hits;
    for (std::size_t i = 0; i + 1 < json.size(); i += 2)
        hits.push_back({json[i].get<std::uint32_t>(), json[i + 1].get<std::uint32_t>()});
    return hits;
}

Json json_of(const std::optional<UnitKey>& key) { return key ? Json{key->group, key->nonce} : Json(nullptr); }

std::optional<UnitKey> key_of(const Json& json) {
    if (json.is_null()) return std::nullopt;
    return UnitKey{json[0].get<std::uint64_t>(), json[1].get<std::uint32_t>()};
}

Json json_of(const std::optional<Hash256>& hash) { return hash ? Json(hash->hex()) : Json(nullptr); }

std::optional<Hash256> hash_of(const Json& json) {
    if (json.is_null()) return std::nullopt;
    return hash256_from_hex(json.get<std::string>(), "a hash");
}

Json json_of(const std::vector<Notice>& notices) {
    Json json = Json::array();
    for (const Notice& notice : notices) json.push_back({static_cast<int>(notice.severity), notice.text});
    return json;
}

std::vector<Notice> notices_of(const Json& json) {
    std::vector<Notice> notices;
    for (const Json& one : json)
        notices.push_back({static_cast<Severity>(one[0].get<int>()), one[1].get<std::string>()});
    return notices;
}

Json json_of(const DeviceReport& device) {
    const DeviceInfo& info = device.info;
    const CycleStats& cycles = device.cycles;
    Json json{{"name", info.name},         {"backend", info.backend},
              {"model", info.model},       {"software", info.software},
              {"code", info.code},         {"hashes", device.hashes},
              {"seconds", device.seconds}, {"start", device.start},
              {"end", device.end},         {"wrong", device.wrong_candidates},
              {"failure", device.failure}};
    if (!cycles.empty()) json["cycles"] = {cycles.cycles, cycles.hashes, cycles.min_per_hash, cycles.max_per_hash};
    return json;
}

DeviceReport device_of(const Json& json) {
    DeviceReport device;
    device.info.name = json["name"];
    device.info.backend = json["backend"];
    device.info.model = json["model"];
    device.info.software = json["software"];
    device.info.code = json["code"];
    device.hashes = json["hashes"];
    device.seconds = json["seconds"];
    device.start = json["start"];
    device.end = json["end"];
    device.wrong_candidates = json["wrong"];
    device.failure = json["failure"];
    if (json.contains("cycles")) {
        const Json& cycles = json["cycles"];
        device.cycles = {cycles[0].get<std::uint64_t>(), cycles[1].get<std::uint64_t>(), cycles[2].get<double>(),
                         cycles[3].get<double>()};
    }
    return device;
}

template <class Value>
void read(const Json& json, std::optional<Value>& value) {
    if (!json.is_null()) value = json.get<Value>();
}

Json json_of(const SensorReport& sensors) {
    Json devices = Json::object();
    for (const auto& [name, usage] : sensors.devices) {
        devices[name] = {
            or_null(usage.max_temperature_c), or_null(usage.energy_j),         or_null(usage.power_w),
            or_null(usage.temperature_c),     or_null(usage.power_now_w),      or_null(usage.power_limit_w),
            or_null(usage.core_clock_mhz),    or_null(usage.memory_clock_mhz), or_null(usage.fan_percent)};
    }
    return {{"devices", devices}, {"cpu", {or_null(sensors.cpu_energy_j), or_null(sensors.cpu_power_w)}}};
}

SensorReport sensors_of(const Json& json) {
    SensorReport sensors;
    for (const auto& [name, values] : json["devices"].items()) {
        DeviceUsage& usage = sensors.devices[name];
        std::size_t next = 0;
        read(values[next++], usage.max_temperature_c);
        read(values[next++], usage.energy_j);
        read(values[next++], usage.power_w);
        read(values[next++], usage.temperature_c);
        read(values[next++], usage.power_now_w);
        read(values[next++], usage.power_limit_w);
        read(values[next++], usage.core_clock_mhz);
        read(values[next++], usage.memory_clock_mhz);
        read(values[next++], usage.fan_percent);
    }
    read(json["cpu"][0], sensors.cpu_energy_j);
    read(json["cpu"][1], sensors.cpu_power_w);
    return sensors;
}

}  // namespace

std::string to_cbor(const nlohmann::json& json) {
    std::string bytes;
    nlohmann::json::to_cbor(json, bytes);
    return bytes;
}

std::string ordered_to_cbor(const nlohmann::ordered_json& json) {
    std::string bytes;
    nlohmann::ordered_json::to_cbor(json, bytes);
    return bytes;
}

std::string to_bytes(const RankNews& news) {
    return to_cbor({{"done", json_of(news.work.done)},
                    {"undone", json_of(news.work.undone)},
                    {"hits", json_of(news.hits)},
                    {"given_back", json_of(news.given_back)},
                    {"notices", json_of(news.notices)},
                    {"hashes", news.hashes},
                    {"best", json_of(news.best)},
                    {"wants", news.wants},
                    {"rate", news.rate},
                    {"looks_on", news.looks_on},
                    {"said_before", news.said_before},
                    {"no_device", news.no_device},
                    {"stop_signal", news.stop_signal},
                    {"last", news.last},
                    {"report", Json::binary({news.report.begin(), news.report.end()})}});
}

RankNews news_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    const Json::binary_t& report = json["report"].get_binary();
    return {.work = {.done = set_of(json["done"]), .undone = set_of(json["undone"])},
            .hits = hits_of(json["hits"]),
            .given_back = intervals_of(json["given_back"]),
            .notices = notices_of(json["notices"]),
            .hashes = json["hashes"],
            .best = hash_of(json["best"]),
            .wants = json["wants"],
            .rate = json["rate"],
            .looks_on = json["looks_on"],
            .said_before = json["said_before"],
            .no_device = json["no_device"],
            .stop_signal = json["stop_signal"],
            .last = json["last"],
            .report = {report.begin(), report.end()}};
}

std::string to_bytes(const RankOrders& orders) {
    return to_cbor({{"bound", json_of(orders.bound)},
                    {"work", json_of(orders.work)},
                    {"piece", orders.piece ? json_of(std::vector{*orders.piece}) : Json(nullptr)},
                    {"paused", orders.paused ? Json(*orders.paused) : Json(nullptr)},
                    {"ranks_at_work", orders.ranks_at_work},
                    {"over", orders.over}});
}

RankOrders orders_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    const Json &paused = json["paused"], &piece = json["piece"];
    return {.bound = key_of(json["bound"]),
            .work = intervals_of(json["work"]),
            .piece = piece.is_null() ? std::nullopt : std::optional(intervals_of(piece).front()),
            .paused = paused.is_null() ? std::nullopt : std::optional(paused.get<bool>()),
            .ranks_at_work = json["ranks_at_work"],
            .over = json["over"]};
}

std::string to_bytes(const RankReport& report) {
    Json devices = Json::array();
    for (const DeviceReport& device : report.search.devices) devices.push_back(json_of(device));
    return to_cbor({{"rank", report.rank},
                    {"host", report.host},
                    {"hashes", report.search.hashes},
                    {"seconds", report.search.seconds},
                    {"rejected", report.search.rejected_candidates},
                    {"best", json_of(report.search.best)},
                    {"counter_hz", report.search.counter_hz},
                    {"devices", devices},
                    {"first_of_machine", report.first_of_machine},
                    {"sensors", json_of(report.sensors)}});
}

RankReport report_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    RankReport report;
    report.rank = json["rank"];
    report.host = json["host"];
    report.search.hashes = json["hashes"];
    report.search.seconds = json["seconds"];
    report.search.rejected_candidates = json["rejected"];
    report.search.best = hash_of(json["best"]);
    report.search.counter_hz = json["counter_hz"];
    for (const Json& device : json["devices"]) report.search.devices.push_back(device_of(device));
    report.first_of_machine = json["first_of_machine"];
    report.sensors = sensors_of(json["sensors"]);
    return report;
}

WorkSpace RankStart::space() const { return RequestRecord(request, record.group_size, false).space(); }

std::string to_bytes(const RankStart& start) {
    const SearchRequest& request = start.request;
    return to_cbor({{"header", request.header.hex()},
                    {"target", request.target.hex()},
                    {"start", request.start},
                    {"end", request.end},
                    {"version_mask", request.version_mask},
                    {"partition", static_cast<int>(request.partition)},
                    {"goal", static_cast<int>(request.goal)},
                    {"max_results", request.max_results},
                    {"group_size", start.record.group_size},
                    {"done", json_of(start.record.done)},
                    {"bound", json_of(start.bound)}});
}

RankStart start_of(std::string_view bytes, const Algorithm& algorithm) {
    const Json json = json_of(bytes);
    RankStart start;
    start.request.header = parse_header_hex(json["header"].get<std::string>(), algorithm).header;
    start.request.target = target_from_hex(json["target"].get<std::string>());
    start.request.start = json["start"];
    start.request.end = json["end"];
    start.request.version_mask = json["version_mask"];
    start.request.partition = static_cast<PartitionMode>(json["partition"].get<int>());
    start.request.goal = static_cast<Goal>(json["goal"].get<int>());
    start.request.max_results = json["max_results"];
    start.record.group_size = json["group_size"];
    start.record.done = set_of(json["done"]);
    start.bound = key_of(json["bound"]);
    return start;
}

}  // namespace gpuminer::mpi
