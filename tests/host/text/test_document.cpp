// The common first fields of documents.
#include <chrono>
#include <ctime>
#include <string>

#include <nlohmann/json.hpp>

#include "host/text/document.hpp"
#include "tests/catch.hpp"

using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST_CASE("times are those of the C library, in ISO 8601") {
    for (const std::time_t seconds : {0L, 951782400L, 1231006505L, 1709164799L, 4107542400L}) {
        std::tm utc{};
        gmtime_r(&seconds, &utc);
        char text[32];
        std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
        CHECK(std::string(gpuminer::utc_text(system_clock::from_time_t(seconds)).data()) == text);
    }
    CHECK(std::string(gpuminer::utc_text(system_clock::time_point(milliseconds(1999))).data()) ==
          "1970-01-01T00:00:01Z");
}

TEST_CASE("a document's head comes before its fields") {
    const nlohmann::ordered_json document = gpuminer::document("verify", {{"valid", true}, {"a", 1}});
    std::string names;
    for (const auto& [name, value] : document.items()) names += name + " ";
    CHECK(names == "format format_version program_version time valid a ");
    CHECK(document["format"] == "gpuminer verify");
}
