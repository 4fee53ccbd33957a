// Document of one run of `gpuminer bench`, as --json writes and `compare` reads it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpuminer::bench {

using Json = nlohmann::ordered_json;

/// One timed round of a measurement.
struct Round {
    double at = 0;     ///< when it began: seconds of steady_clock since the run began
    double value = 0;  ///< in the measurement's unit
};

enum class Better { kHigher, kLower };

struct Measurement {
    std::string workload;  ///< "scan"
    std::string name;      ///< unique within its workload: "cpu:avx512#0 fixed"
    std::string unit;      ///< says per what: "hashes/s", "ns per 64-byte input", "µs per thread"
    Better better = Better::kHigher;
    std::vector<Round> rounds;  ///< in the order in which they were measured; the warm-up is not among them
    /// What else the workload knows: an object whose numbers (or null: unknown) are figures named with their unit
    /// ("cycles_per_hash", "share_of_limit", "joules_per_gh"), and whose strings are remarks. May hold arrays and
    /// objects too ("threads"), which only the workload's own views read.
    Json details = Json::object();

    [[nodiscard]] std::vector<double> values() const;
};

struct Document {
    Json program = Json::object();          ///< version, commit, compiler, flags
    Json machine = Json::object();          ///< cpu, cpu_flags, microcode, governor, …
    Json devices = Json::array();           ///< those measured: name, backend, model, driver, …
    Json job = Json::object();              ///< what was searched: header, target, ranges, number of known hits
    std::string algorithm = "sha256d";      ///< that hashes are of
    std::string label;                      ///< what the user calls the run; empty: nothing
    std::string command;                    ///< the command line, files of which are called FILE
    std::string time;                       ///< when the run began, UTC, ISO 8601: "2026-11-21T20:39:06Z"
    double seconds = 0;                     ///< the whole run, with opening devices and warm-up
    std::string ending = "finished";        ///< finished, interrupted, failed
    std::vector<std::string> failures;      ///< what a check found wrong, a sentence each; empty: all is verified
    std::vector<std::string> warnings;      ///< why the figures may be wrong though verified, a sentence each
    std::vector<std::string> notes;         ///< what was left out and why, a sentence each
    std::vector<Measurement> measurements;  ///< by workload, in the order of the report

    /// Null where there is none of that name.
    [[nodiscard]] const Measurement* find(const std::string& workload, const std::string& name) const;
    /// What details call cycles: "cycles", or "ticks" where machine.cycle_unit says "timer ticks" (ARM64). Documents of
    /// before that field count cycles.
    [[nodiscard]] const char* counted_units() const;
};

/// As one object: "format": "gpuminer bench", "format_version": 1, the fields above, "verified" (no failures), and each
/// measurement's count, median, p10, p90 and drift (bench/document/statistics.hpp) beside its rounds.
[[nodiscard]] Json to_json(const Document& document);
/// to_json() as text, which --json writes: a line for each field and each measurement. Invalid UTF-8 (in a driver's
/// text) is replaced by U+FFFD.
[[nodiscard]] std::string dump(const Document& document);

/// `source` is named in messages ("a.json"). Throws InputError if the text is not such a document.
[[nodiscard]] Document document_from_json(const std::string& text, const std::string& source);
/// Reads a file. Throws InputError.
[[nodiscard]] Document read_document(const std::string& path);

}  // namespace gpuminer::bench
