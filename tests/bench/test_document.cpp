// Tests of the documents of `gpuminer bench`, and of the tables and figures made from them.
#include "bench/document/document.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

#include "bench/document/figures.hpp"
#include "bench/document/tables.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "tests/bench/bench_tools.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"

namespace gpuminer::bench {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::measurement;
using test::sample_document;

std::string message_of(const std::string& text) {
    try {
        (void)document_from_json(text, "'a.json'");
    } catch (const InputError& error) {
        return error.what();
    }
    return "read without a complaint";
}

/// The sample's JSON with a change.
template <typename Change>
std::string message_after(const Change& change) {
    Json json = to_json(sample_document());
    change(json);
    return message_of(json.dump());
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// In characters.
std::size_t longest_line_of(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, character_count(line));
    return longest;
}

}  // namespace

TEST_CASE("a document is the same after writing and reading") {
    Document document = sample_document();
    document.label = "RTX 4090 at 350 W";
    document.warnings = {"other programs were busy"};
    document.notes = {"left out"};
    document.failures = {"a nonce is missing"};
    document.ending = "failed";
    const std::string text = dump(document);
    CHECK(dump(document_from_json(text, "a.json")) == text);
    const Document read = document_from_json(text, "a.json");
    CHECK(read.failures == document.failures);
    CHECK(read.label == document.label);
    CHECK(read.warnings == document.warnings);
    CHECK(read.measurements.at(1).better == Better::kLower);
    CHECK(read.measurements.at(0).rounds.at(2).at == 2);
    CHECK(read.measurements.at(0).values() == std::vector<double>{11.5e6, 11.7e6, 11.6e6, 11.6e6});
    CHECK(read.find("os", "create thread") == &read.measurements.at(1));
    CHECK(read.find("os", "cpu:avx2#0 fixed") == nullptr);
}

TEST_CASE("the JSON has each measurement's statistics") {
    const Json json = to_json(sample_document());
    CHECK(json["format"] == "gpuminer bench");
    CHECK(json["format_version"] == 1);
    CHECK(json["verified"] == true);
    const Json& scan = json["measurements"][0];
    CHECK(scan["count"] == 4);
    CHECK(scan["median"] == 11.6e6);
    CHECK(scan["p10"] == 11.5e6);
    CHECK(scan["p90"] == 11.7e6);
    CHECK(scan["drift"]["window_seconds"] == 1.0);
    CHECK(scan["drift"]["first"] == 11.6e6);
    CHECK(scan["drift"]["ratio"] == 1.0);
}

TEST_CASE("a measurement of an interrupted run has no statistics, and can be read") {
    Document document = sample_document();
    document.ending = "interrupted";
    document.measurements.front().rounds.clear();
    const Json json = to_json(document);
    for (const char* figure : {"median", "p10", "p90", "drift"}) CHECK(json["measurements"][0][figure].is_null());
    CHECK(document_from_json(dump(document), "a.json").measurements.at(0).rounds.empty());
}

TEST_CASE("a driver's text that is no UTF-8 does not stop the writing") {
    Document document = sample_document();
    document.devices.push_back({{"name", "x"}, {"model", "caf\xe9 \xff"}});
    document.measurements.front().name = "caf\xe9";
    const Document read = document_from_json(dump(document), "a.json");
    CHECK(read.devices.at(1)["model"] == "caf\ufffd \ufffd");
    CHECK(read.measurements.at(0).name == "caf\ufffd");
}

TEST_CASE("what is no document is refused with a sentence") {
    CHECK(message_of("") == "'a.json': expected a document of `gpuminer bench --json`, but byte 1 is no JSON");
    CHECK(message_of("[]") == "'a.json': expected a document of `gpuminer bench --json`, got other JSON");
    CHECK(message_of("{}") == "'a.json': expected a text as format, got nothing");
    CHECK_THAT(message_of("{\"format\": \"gpuminer bench\"}\xff"), ContainsSubstring("is no JSON"));
    CHECK_THAT(message_of(R"({"format": 1e999})"),
               ContainsSubstring("expected finite numbers, got one that is too large"));
    CHECK(message_after([](Json& json) { json["format"] = "other\n"; }) ==
          R"('a.json': expected 'gpuminer bench' as format, got 'other\x0a')");
    CHECK(message_after([](Json& json) { json["format_version"] = 2; }) ==
          "'a.json': expected 1 as format_version, got 2");
    CHECK(message_after([](Json& json) { json["measurements"][1]["rounds"][2]["value"] = "9"; }) ==
          "'a.json': expected a number as measurements[1].rounds[2].value, got '9'");
    CHECK(message_after([](Json& json) { json["measurements"][0]["rounds"][0].erase("at"); }) ==
          "'a.json': expected a number as measurements[0].rounds[0].at, got nothing");
    CHECK(message_after([](Json& json) { json["measurements"][0]["better"] = "faster"; }) ==
          "'a.json': expected 'higher' or 'lower' as measurements[0].better, got 'faster'");
    CHECK(message_after([](Json& json) { json["measurements"].push_back(json["measurements"][0]); }) ==
          "'a.json': expected a name that its workload has once as measurements[2].name, got 'cpu:avx2#0 fixed'");
    CHECK(message_after([](Json& json) { json["verified"] = false; }) ==
          "'a.json': expected true (there are no failures) as verified, got false");
    CHECK(message_after([](Json& json) { json["ending"] = "done"; }) ==
          "'a.json': expected 'finished', 'interrupted' or 'failed' as ending, got 'done'");
    CHECK(message_after([](Json& json) { json["machine"] = Json::array(); }) ==
          "'a.json': expected an object as machine, got an array");
    CHECK(message_after([](Json& json) { json["program"]["version"] = 7; }) ==
          "'a.json': expected a text as program.version, got 7");
    CHECK(message_after([](Json& json) { json["seconds"] = nullptr; }) ==
          "'a.json': expected a number as seconds, got null");
}

TEST_CASE("every field is required, and no other type of value is taken for it") {
    const Json json = to_json(sample_document());
    for (const auto& item : json.items()) {
        const std::string& field = item.key();
        if (field == "program_version") continue;  // says what "program" does; older documents lack it
        const Json other = item.value().is_number() ? Json("x") : Json(7);
        CAPTURE(field);
        if (field != "algorithm" && field != "label" && field != "warnings")  // which older documents lack, too
            CHECK_THAT(message_after([&](Json& changed) { changed.erase(field); }), ContainsSubstring("expected"));
        CHECK_THAT(message_after([&](Json& changed) { changed[field] = other; }), ContainsSubstring("expected"));
    }
    for (const char* field : {"workload", "name", "unit", "better", "rounds", "details"}) {
        CAPTURE(field);
        CHECK_THAT(message_after([&](Json& changed) { changed["measurements"][0].erase(field); }),
                   ContainsSubstring("expected"));
        CHECK_THAT(message_after([&](Json& changed) { changed["measurements"][0][field] = 7; }),
                   ContainsSubstring("expected"));
    }
}

TEST_CASE("deep and wide input is refused before it costs anything") {
    CHECK_THAT(message_of(std::string(1000000, '[')), ContainsSubstring("expected at most 32 levels"));
    std::string wide = "{";
    for (int i = 0; i < 100000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
    CHECK_THAT(message_of(wide), ContainsSubstring("expected at most 128 names in an object, got more"));
    std::string many = "[";
    for (int i = 0; i < 4'000'000; ++i) many += "{},";
    CHECK(message_of(many + "0]") == "'a.json': expected at most 4000000 values, got more");
}

TEST_CASE("reading takes time in proportion to a document's length") {
    std::string list = "[";
    for (int i = 0; i < 500'000; ++i) list += "{},";  // a parser that looks at all before each takes minutes
    CHECK(message_of(list + "0]") == "'a.json': expected a document of `gpuminer bench --json`, got other JSON");
}

TEST_CASE("lists in which comparing looks for each element are short") {
    const auto message_with = [](const char* field, const Json& element) {
        return message_after([&](Json& json) {
            json[field] = Json::array();
            for (int i = 0; i < 4097; ++i) json[field].push_back(element);
        });
    };
    for (const char* field : {"devices", "measurements"}) {
        CHECK_THAT(message_with(field, Json::object()), ContainsSubstring("expected at most 4096 elements in "));
    }
    for (const char* field : {"failures", "notes"}) {
        CHECK_THAT(message_with(field, "x"), ContainsSubstring("expected at most 4096 elements in "));
    }
}

TEST_CASE("files that cannot be read are named") {
    const test::TemporaryFolder folder;
    folder.write("good.json", dump(sample_document()));
    CHECK(read_document((folder.path() / "good.json").string()).command == "gpuminer bench scan os");
    CHECK_THROWS_WITH(read_document((folder.path() / "none.json").string()), ContainsSubstring("No such file"));
    CHECK_THROWS_WITH(read_document(folder.path().string()), ContainsSubstring("it is a directory"));
    CHECK_THROWS_WITH(read_document("/dev/zero"), ContainsSubstring("it has more than 67108864 bytes"));
}

TEST_CASE("figures have the digits that count") {
    CHECK(figure_text(0) == "0");
    CHECK(figure_text(0.0123456) == "0.01235");
    CHECK(figure_text(0.25) == "0.2500");
    CHECK(figure_text(9.9999) == "10.00");
    CHECK(figure_text(31.6) == "31.60");
    CHECK(figure_text(256.25) == "256.2");
    CHECK(figure_text(999.96) == "1,000");
    CHECK(figure_text(-1234567.0) == "-1,234,567");
    CHECK(figure_text(2e20) == "2e+20");
    CHECK(prefixed_text(9.52e9) == "9.520 G");
    CHECK(prefixed_text(5) == "5.000");
    CHECK(scale_of(31.6e6, "hashes/s").unit == "MH/s");
    CHECK(scale_of(31.6e6, "inputs/s").unit == "M inputs/s");
    CHECK(scale_of(31.6e6, "ns per hash").divisor == 1);
}

TEST_CASE("a workload's table says what its figures are") {
    const Document document = sample_document();
    const std::string text = measurements_text("scan: nonce search", {document.measurements.front()}, "cycles");
    CHECK(text ==
          "scan: nonce search\n"
          "Median of 4 rounds; in brackets the 10th and 90th percentile.\n"
          "last/first: the run's end over its beginning. More is better.\n"
          "\n"
          "                                                 last  cycles      of\n"
          "                  median    (10 %–90 %)  unit  /first   /hash   limit  setup\n"
          "cpu:avx2#0 fixed   11.60  (11.50–11.70)  MH/s   1.000   256.2  94.9 %   warm\n"
          "cpu:avx2#0 fixed: the clock was not steady\n");
}

TEST_CASE("a user's table fits 80 columns, without what is for who works on kernels") {
    std::vector<Measurement> rows;
    for (const char* const name : {"cpu:avx512+shani#0 fixed", "cpu:avx512+shani#0 rolled"}) {
        rows.push_back(measurement("scan", name, "hashes/s", Better::kHigher, {31.5e6, 31.7e6}));
        rows.back().details = {
            {"rate_with_host", 31e6},  {"operations_per_hash", 177.9}, {"share_of_limit", 0.949},    {"limit", 32e6},
            {"cycles_per_hash", 65.4}, {"joules_per_gh", 880.0},       {"hashes_per_joule", 1.13e6}, {"power_w", 96.0},
            {"hits_compared", 21}};
    }
    const std::string text = measurements_text("scan", rows, "cycles", kUnlimitedColumns, false);
    CHECK(longest_line_of(text) <= 80);
    CHECK_THAT(text, ContainsSubstring(" 94.9 %"));
    CHECK_THAT(text, ContainsSubstring(" -D: all columns.\n"));
    for (const char* const words : {"cycles", "operations", "compared", "177.9"})
        CHECK_THAT(text, !ContainsSubstring(words));
    // A long unit takes the room of the drift.
    rows = {measurement("scheduler", "1000 devices of 100 GH/s", "µs of host time per batch", Better::kLower, {1000})};
    const std::string narrow = measurements_text("scheduler", rows, "cycles", kUnlimitedColumns, false);
    CHECK(longest_line_of(narrow) <= 80);
    CHECK_THAT(narrow, !ContainsSubstring("last"));
    CHECK_THAT(narrow, ContainsSubstring("percentile.\nLess is better.\n"));
}

TEST_CASE("a table has what one row knows and another does not, and rows without rounds") {
    Document document = sample_document();
    document.measurements.at(1).rounds.clear();
    const std::string text = measurements_text("both", document.measurements, "cycles");
    CHECK_THAT(text, ContainsSubstring("Median of 0 to 4 rounds"));
    CHECK_THAT(text, ContainsSubstring("better   /hash"));
    CHECK_THAT(text,
               ContainsSubstring("create thread          –              –  µs per thread       0       –    less"));
    CHECK_THAT(measurements_text("none", {}, "cycles"), ContainsSubstring("Nothing was measured."));
}

TEST_CASE("counts are whole numbers, large figures have a prefix") {
    Document document = sample_document();
    document.measurements.front().details = {
        {"versions", 8}, {"nonces", 65536u}, {"port_operations_per_second", 9.5e9}};
    const std::string text = measurements_text("t", {document.measurements.front()}, "cycles");
    CHECK_THAT(text, ContainsSubstring("       8  65,536     9.500 G\n"));
}

TEST_CASE("a terminal gets no control characters") {
    const std::string text = measurements_text(
        "t", {measurement("w", "\x1b[31mred\nline \xc2\x9b \xff", "s", Better::kLower, {1})}, "cycles");
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\xc2\x9b") == std::string::npos);
    CHECK_THAT(text, ContainsSubstring(" [31mred line   \ufffd"));
    CHECK(lines_of(text) == 7);
}

TEST_CASE("Markdown gives context, tables, notes and failures, and escapes what is special") {
    Document document = sample_document();
    document.notes = {"<b> is left out"};
    document.failures = {"a nonce\nis missing"};
    document.command = "gpuminer bench `x` | tee";
    document.measurements.front().name = "avx2 a|b\\ \xff";
    const std::string text = markdown(document);
    CHECK_THAT(text, ContainsSubstring("**Not verified:** a nonce is missing\n"));
    CHECK_THAT(text, ContainsSubstring("- CPU: Some CPU (microcode 0x1, turbo yes, load 0.5)\n"));
    CHECK_THAT(text, ContainsSubstring("- Device opencl:gpu#0: A\\|B (driver 1.0)\n"));
    CHECK_THAT(text, ContainsSubstring("- Program: gpuminer 0.1.0 (commit abc123, compiler GNU 12.2.0, flags -O3)\n"));
    CHECK_THAT(text, ContainsSubstring("- Command: `` gpuminer bench `x` | tee ``\n"));
    CHECK_THAT(text, ContainsSubstring("\n## scan\n"));
    CHECK_THAT(text, ContainsSubstring(
                         "\n|  | median | (10 %–90 %) | unit | last/first | cycles/hash | of limit | setup |\n"
                         "|---|---:|---:|---:|---:|---:|---:|---:|\n"
                         "| avx2 a\\|b\\\\ \ufffd | 11.60 | (11.50–11.70) | MH/s | 1.000 | 256.2 | 94.9 % | warm |\n"));
    CHECK_THAT(text, ContainsSubstring("\n## os\n"));
    CHECK_THAT(text, ContainsSubstring("\n## Notes\n\n- \\<b\\> is left out\n"));
}

TEST_CASE("tables have the unit of the machine that was measured") {
    Document document = sample_document();
    CHECK_THAT(markdown(document), ContainsSubstring(" cycles/hash "));  // the field is younger than the format
    document.machine["cycle_unit"] = "reference cycles";
    CHECK_THAT(markdown(document), ContainsSubstring(" cycles/hash "));
    document.machine["cycle_unit"] = "timer ticks";
    const std::string text = measurements_text("scan", {document.measurements.front()}, document.counted_units());
    for (const std::string& table : {markdown(document), text}) {
        CHECK_THAT(table, ContainsSubstring("ticks"));
        CHECK_THAT(table, !ContainsSubstring("cycles"));
    }
}

TEST_CASE("CSV has a line for each round") {
    Document document = sample_document();
    document.measurements = {measurement("w", "a,\"b\"\nc \xff", "s", Better::kLower, {0.1, 1e-7})};
    document.time.clear();
    CHECK(csv(document) ==
          "time,commit,cpu,workload,name,unit,better,round,at_seconds,value\r\n"
          ",abc123,Some CPU,w,\"a,\"\"b\"\"\nc \ufffd\",s,lower,1,0,0.1\r\n"
          ",abc123,Some CPU,w,\"a,\"\"b\"\"\nc \ufffd\",s,lower,2,1,1e-07\r\n");
    CHECK(lines_of(csv(sample_document())) == 1 + 8);
}

}  // namespace gpuminer::bench
