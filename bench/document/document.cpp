// Reading and writing of documents.
#include "bench/document/document.hpp"

#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bench/document/shareable.hpp"
#include "bench/document/statistics.hpp"
#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kFormat = "gpuminer bench";
constexpr int kFormatVersion = 1;
// More than runs of hours write, and little enough that reading takes moments and a few times the text in memory.
// (A round is three values of 15 bytes each.)
constexpr std::size_t kMostBytes = 64 << 20;
constexpr JsonBounds kBounds{.levels = 32, .values = 4'000'000, .names = 128};
// Of measurements, devices and the like: comparing looks for each of them among the others.
constexpr std::size_t kMostElements = 4096;

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
    /// Calls `use` with each element's place, one at a time: names of all would take more memory than the document.
    template <typename Use>
    void for_each(const Use& use) const {
        std::size_t index = 0;
        for (const Json& element : array()) use(Place(&element, fmt::format("{}[{}]", name_, index++), source_));
    }
    template <typename Use>
    void for_each_object(const Use& use) const {
        for_each([&](const Place& place) {
            (void)place.object();
            use(place);
        });
    }
    /// An array of few elements.
    [[nodiscard]] const Place& list() const {
        if (array().size() > kMostElements) {
            throw InputError(fmt::format("{}: expected at most {} elements in {}, got {}", source_, kMostElements,
                                         name_, array().size()));
        }
        return *this;
    }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        list().for_each([&](const Place& place) { all.push_back(place.text()); });
        return all;
    }
    const Json& require(bool fulfilled, std::string_view expected) const {
        if (!fulfilled) throw InputError(fmt::format("{}: expected {} as {}, got {}", source_, expected, name_, got()));
        return *value_;
    }

private:
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

Json parse(const std::string& text, const std::string& source) {
    const std::string bound = exceeded_bound(text, kBounds);
    if (!bound.empty()) throw InputError(fmt::format("{}: expected {}, got more", source, bound));
    try {
        return Json::parse(text);
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
    place["rounds"].for_each_object([&](const Place& round) {
        measurement.rounds.push_back({round["at"].number(), round["value"].number()});
    });
    measurement.details = place["details"].object();
    return measurement;
}

std::vector<Measurement> read_measurements(const Place& place) {
    std::vector<Measurement> measurements;
    std::set<std::pair<std::string, std::string>> names;
    place.list().for_each_object([&](const Place& element) {
        measurements.push_back(read_measurement(element));
        const Measurement& last = measurements.back();
        element["name"].require(names.emplace(last.workload, last.name).second, "a name that its workload has once");
    });
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

const char* Document::counted_units() const {
    const auto unit = machine.find("cycle_unit");
    return unit != machine.end() && *unit == "timer ticks" ? "ticks" : "cycles";
}

Json to_json(const Document& document) {
    Json measurements = Json::array();
    for (const Measurement& measurement : document.measurements) measurements.push_back(to_json(measurement));
    return {{"format", kFormat},
            {"format_version", kFormatVersion},
            {"program_version", document.program.value("version", "")},
            {"time", document.time},
            {"program", document.program},
            {"machine", document.machine},
            {"devices", document.devices},
            {"job", document.job},
            {"label", document.label},
            {"algorithm", document.algorithm},
            {"command", document.command},
            {"seconds", document.seconds},
            {"ending", document.ending},
            {"verified", document.failures.empty()},
            {"failures", document.failures},
            {"warnings", document.warnings},
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
    if (document.program.contains("version")) (void)top["program"]["version"].text();  // as to_json() takes it
    document.machine = top["machine"].object();
    top["devices"].list().for_each_object([&](const Place& device) { document.devices.push_back(device.object()); });
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
    // Documents of early versions lack these.
    if (json.contains("algorithm")) document.algorithm = top["algorithm"].text();
    if (json.contains("label")) document.label = top["label"].text();
    if (json.contains("warnings")) document.warnings = top["warnings"].texts();
    document.notes = top["notes"].texts();
    document.measurements = read_measurements(top["measurements"]);
    make_shareable(document);  // an older one may not be
    return document;
}

Document read_document(const std::string& path) {
    const std::string source = quoted_text(path, 100);
    const FileText file = read_file(path, kMostBytes, FileKind::kAny);
    if (!file.failure.empty()) throw InputError("cannot read " + source + ": " + file.failure);
    return document_from_json(file.text, source);
}

}  // namespace gpuminer::bench
