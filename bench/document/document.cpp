// Reading and writing of documents.
#include "bench/document/document.hpp"

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bench/document/statistics.hpp"
#include "host/block/json_text.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kFormat = "gpuminer bench";
constexpr int kFormatVersion = 1;
// More than any run writes, and little enough that reading takes moments. (Looking up a key of an ordered object
// takes a time proportional to the number of its keys.)
constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostKeys = 2048;

/// One place in a document, with its name for messages: "measurements[3].unit".
class Place {
public:
    /// `value` is null where the document has nothing there.
    Place(const Json* value, std::string name, const std::string& source)
        : value_(value), name_(std::move(name)), source_(source) {}

    [[nodiscard]] Place operator[](const char* key) const {
        const auto found = value_->find(key);
        return {found != value_->end() ? &*found : nullptr, name_.empty() ? key : name_ + "." + key, source_};
    }
    [[nodiscard]] std::string text() const {
        return require(value_ != nullptr && value_->is_string(), "a text").get<std::string>();
    }
    [[nodiscard]] double number() const {
        const double number = require(value_ != nullptr && value_->is_number(), "a number").get<double>();
        require(std::isfinite(number), "a finite number");
        return number;
    }
    [[nodiscard]] const Json& object() const { return require(value_ != nullptr && value_->is_object(), "an object"); }
    [[nodiscard]] const Json& array() const { return require(value_ != nullptr && value_->is_array(), "an array"); }
    [[nodiscard]] std::vector<Place> elements() const {
        std::vector<Place> places;
        for (const Json& element : array()) places.push_back(at(element, places.size()));
        return places;
    }
    [[nodiscard]] std::vector<Place> objects() const {
        std::vector<Place> places = elements();
        for (const Place& place : places) (void)place.object();
        return places;
    }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const Place& place : elements()) all.push_back(place.text());
        return all;
    }
    const Json& require(bool fulfilled, std::string_view expected) const {
        if (!fulfilled) throw InputError(fmt::format("{}: expected {} as {}, got {}", source_, expected, name_, got()));
        return *value_;
    }

private:
    [[nodiscard]] Place at(const Json& element, std::size_t index) const {
        return {&element, fmt::format("{}[{}]", name_, index), source_};
    }
    [[nodiscard]] std::string got() const {
        if (value_ == nullptr) return "nothing";
        if (value_->is_string()) return quoted_text(value_->get_ref<const std::string&>());
        if (value_->is_number() || value_->is_boolean() || value_->is_null()) return value_->dump();
        return value_->is_object() ? "an object" : "an array";
    }

    const Json* value_;
    std::string name_;
    const std::string& source_;
};

/// Parses, but goes neither deep nor wide.
Json parse(const std::string& text, const std::string& source) {
    std::vector<std::size_t> keys;  // of each object and array that is open
    const Json::parser_callback_t check = [&](int, Json::parse_event_t event, Json&) {
        using Event = Json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) {
            keys.push_back(0);
            if (keys.size() > kDeepest) {
                throw InputError(fmt::format("{}: expected at most {} levels, got more", source, kDeepest));
            }
        } else if (event == Event::object_end || event == Event::array_end) {
            keys.pop_back();
        } else if (event == Event::key && ++keys.back() > kMostKeys) {
            throw InputError(fmt::format("{}: expected at most {} names in an object, got more", source, kMostKeys));
        }
        return true;
    };
    try {
        return Json::parse(text, check);
    } catch (const Json::parse_error& error) {
        throw InputError(fmt::format("{}: expected a document of `gpuminer bench --json`, but byte {} is no JSON",
                                     source, error.byte));
    } catch (const Json::exception&) {  // 1e999
        throw InputError(source + ": expected finite numbers, got one that is too large");
    }
}

Json to_json(const Measurement& measurement) {
    Json rounds = Json::array();
    for (const Round& round : measurement.rounds) rounds.push_back({{"at", round.at}, {"value", round.value}});
    Json json = {{"workload", measurement.workload},
                 {"name", measurement.name},
                 {"unit", measurement.unit},
                 {"better", measurement.better == Better::kHigher ? "higher" : "lower"},
                 {"count", measurement.rounds.size()}};
    if (measurement.rounds.empty()) {
        for (const char* figure : {"median", "p10", "p90", "drift"}) json[figure] = nullptr;
    } else {
        const Spread spread = spread_of(measurement.values());
        const Drift drift = drift_of(measurement.rounds);
        json["median"] = spread.median;
        json["p10"] = spread.low;
        json["p90"] = spread.high;
        json["drift"] = {{"window_seconds", drift.window_seconds},
                         {"first", drift.first},
                         {"last", drift.last},
                         {"ratio", drift.ratio()}};
    }
    json["rounds"] = std::move(rounds);
    json["details"] = measurement.details.is_object() ? measurement.details : Json::object();
    return json;
}

Measurement read_measurement(const Place& place) {
    Measurement measurement;
    measurement.workload = place["workload"].text();
    measurement.name = place["name"].text();
    measurement.unit = place["unit"].text();
    const std::string better = place["better"].text();
    place["better"].require(better == "higher" || better == "lower", "'higher' or 'lower'");
    measurement.better = better == "higher" ? Better::kHigher : Better::kLower;
    for (const Place& round : place["rounds"].objects()) {
        measurement.rounds.push_back({round["at"].number(), round["value"].number()});
    }
    measurement.details = place["details"].object();
    return measurement;
}

std::vector<Measurement> read_measurements(const Place& place) {
    std::vector<Measurement> measurements;
    std::set<std::pair<std::string, std::string>> names;
    for (const Place& element : place.objects()) {
        measurements.push_back(read_measurement(element));
        const Measurement& last = measurements.back();
        element["name"].require(names.emplace(last.workload, last.name).second, "a name that its workload has once");
    }
    return measurements;
}

}  // namespace

std::vector<double> Measurement::values() const {
    std::vector<double> all;
    all.reserve(rounds.size());
    for (const Round& round : rounds) all.push_back(round.value);
    return all;
}

const Measurement* Document::find(const std::string& workload, const std::string& name) const {
    for (const Measurement& measurement : measurements) {
        if (measurement.workload == workload && measurement.name == name) return &measurement;
    }
    return nullptr;
}

Json to_json(const Document& document) {
    Json measurements = Json::array();
    for (const Measurement& measurement : document.measurements) measurements.push_back(to_json(measurement));
    return {{"format", kFormat},
            {"format_version", kFormatVersion},
            {"program", document.program},
            {"machine", document.machine},
            {"devices", document.devices},
            {"job", document.job},
            {"command", document.command},
            {"time", document.time},
            {"seconds", document.seconds},
            {"ending", document.ending},
            {"verified", document.failures.empty()},
            {"failures", document.failures},
            {"notes", document.notes},
            {"measurements", std::move(measurements)}};
}

std::string dump(const Document& document) {
    std::string text = "{";
    const Json json = to_json(document);
    for (const auto& [name, value] : json.items()) {
        text += fmt::format("{}\n \"{}\": ", text.size() > 1 ? "," : "", name);
        if (name != "measurements" || value.empty()) {
            text += json_text(value);
            continue;
        }
        for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "[\n  " : ",\n  ") + json_text(value[i]);
        text += "]";
    }
    return text + "\n}\n";
}

Document document_from_json(const std::string& text, const std::string& source) {
    const Json json = parse(text, source);
    if (!json.is_object())
        throw InputError(source + ": expected a document of `gpuminer bench --json`, got other JSON");
    const Place top(&json, "", source);
    top["format"].require(top["format"].text() == kFormat, fmt::format("'{}'", kFormat));
    top["format_version"].require(top["format_version"].number() == kFormatVersion, std::to_string(kFormatVersion));
    Document document;
    document.program = top["program"].object();
    document.machine = top["machine"].object();
    for (const Place& device : top["devices"].objects()) document.devices.push_back(device.object());
    document.job = top["job"].object();
    document.command = top["command"].text();
    document.time = top["time"].text();
    document.seconds = top["seconds"].number();
    document.ending = top["ending"].text();
    top["ending"].require(
        document.ending == "finished" || document.ending == "interrupted" || document.ending == "failed",
        "'finished', 'interrupted' or 'failed'");
    document.failures = top["failures"].texts();
    const bool verified = document.failures.empty();
    top["verified"].require(json.contains("verified") && json["verified"] == verified,
                            verified ? "true (there are no failures)" : "false (there are failures)");
    document.notes = top["notes"].texts();
    document.measurements = read_measurements(top["measurements"]);
    return document;
}

Document read_document(const std::string& path) {
    const std::string source = quoted_text(path, 100);
    std::error_code ignored;  // what cannot be asked cannot be opened either, and that gives the message
    if (std::filesystem::is_directory(path, ignored)) throw InputError("cannot read " + source + ": it is a directory");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        const std::string why = errno != 0 ? std::generic_category().message(errno) : "it cannot be opened";
        throw InputError("cannot read " + source + ": " + why);
    }
    std::string text(kMostBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw InputError("cannot read " + source);
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes)
        throw InputError(fmt::format("{}: expected at most {} bytes, got more", source, kMostBytes));
    return document_from_json(text, source);
}

}  // namespace gpuminer::bench
