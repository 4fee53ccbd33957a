#include "mpi/messages.hpp"

#include <nlohmann/json.hpp>

#include "host/search/version_space.hpp"

namespace gpuminer::mpi {
namespace {

using Json = nlohmann::json;

std::string bytes_of(const Json& json) {
    std::string bytes;
    Json::to_cbor(json, bytes);
    return bytes;
}

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

Json json_of(const std::vector<RecordedHit>& hits) {
    Json json = Json::array();
    for (const RecordedHit& hit : hits) {
        json.push_back(hit.version);
        json.push_back(hit.nonce);
    }
    return json;
}

std::vector<RecordedHit> hits_of(const Json& json) {
    std::vector<RecordedHit> hits;
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

}  // namespace

std::string to_bytes(const RankNews& news) {
    return bytes_of({{"done", json_of(news.done)},
                     {"undone", json_of(news.undone)},
                     {"hits", json_of(news.hits)},
                     {"given_back", json_of(news.given_back)},
                     {"notices", json_of(news.notices)},
                     {"hashes", news.hashes},
                     {"best", json_of(news.best)},
                     {"wants", news.wants},
                     {"looks_on", news.looks_on},
                     {"no_device", news.no_device},
                     {"told_to_stop", news.told_to_stop},
                     {"last", news.last}});
}

RankNews news_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    return {.done = set_of(json["done"]),
            .undone = set_of(json["undone"]),
            .hits = hits_of(json["hits"]),
            .given_back = intervals_of(json["given_back"]),
            .notices = notices_of(json["notices"]),
            .hashes = json["hashes"],
            .best = hash_of(json["best"]),
            .wants = json["wants"],
            .looks_on = json["looks_on"],
            .no_device = json["no_device"],
            .told_to_stop = json["told_to_stop"],
            .last = json["last"]};
}

std::string to_bytes(const RankOrders& orders) {
    return bytes_of({{"bound", json_of(orders.bound)},
                     {"work", json_of(orders.work)},
                     {"paused", orders.paused ? Json(*orders.paused) : Json(nullptr)},
                     {"ranks_at_work", orders.ranks_at_work},
                     {"over", orders.over}});
}

RankOrders orders_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    const Json& paused = json["paused"];
    return {.bound = key_of(json["bound"]),
            .work = intervals_of(json["work"]),
            .paused = paused.is_null() ? std::nullopt : std::optional(paused.get<bool>()),
            .ranks_at_work = json["ranks_at_work"],
            .over = json["over"]};
}

std::string to_bytes(const RankReport& report) {
    Json devices = Json::array();
    for (const DeviceReport& device : report.search.devices) devices.push_back(json_of(device));
    return bytes_of({{"rank", report.rank},
                     {"host", report.host},
                     {"hashes", report.search.hashes},
                     {"seconds", report.search.seconds},
                     {"rejected", report.search.rejected_candidates},
                     {"best", json_of(report.search.best)},
                     {"counter_hz", report.search.counter_hz},
                     {"devices", devices}});
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
    return report;
}

std::uint64_t RankStart::positions() const {
    const std::uint64_t nonces = std::uint64_t{request.end} - request.start + 1;
    return VersionSpace(request.header.version(), request.version_mask, record.group_size).groups() * nonces;
}

std::string to_bytes(const RankStart& start) {
    const SearchRequest& request = start.request;
    return bytes_of({{"header", request.header.hex()},
                     {"target", request.target.hex()},
                     {"start", request.start},
                     {"end", request.end},
                     {"version_mask", request.version_mask},
                     {"goal", static_cast<int>(request.goal)},
                     {"max_results", request.max_results},
                     {"group_size", start.record.group_size},
                     {"done", json_of(start.record.done)},
                     {"bound", json_of(start.bound)}});
}

RankStart start_of(std::string_view bytes) {
    const Json json = json_of(bytes);
    RankStart start;
    start.request.header = parse_header_hex(json["header"].get<std::string>()).header;
    start.request.target = target_from_hex(json["target"].get<std::string>());
    start.request.start = json["start"];
    start.request.end = json["end"];
    start.request.version_mask = json["version_mask"];
    start.request.goal = static_cast<Goal>(json["goal"].get<int>());
    start.request.max_results = json["max_results"];
    start.record.group_size = json["group_size"];
    start.record.done = set_of(json["done"]);
    start.bound = key_of(json["bound"]);
    return start;
}

}  // namespace gpuminer::mpi
