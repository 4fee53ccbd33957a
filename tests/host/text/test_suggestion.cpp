// Suggestions for mistyped names.
#include "host/text/suggestion.hpp"

#include <array>
#include <string>

#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

const std::array<std::string, 8> kNames = {"mine",      "grind",   "verify",       "devices",
                                           "--threads", "--start", "avx512+shani", "avx512"};

}  // namespace

TEST_CASE("a name that was mistyped is recognised") {
    CHECK(nearest_name("mien", kNames) == "mine");
    CHECK(nearest_name("gridn", kNames) == "grind");
    CHECK(nearest_name("veryfi", kNames).empty());  // two edits in six letters are too many
    CHECK(nearest_name("verfy", kNames) == "verify");
    CHECK(nearest_name("VERIFY", kNames) == "verify");
    CHECK(nearest_name("dev", kNames) == "devices");
    CHECK(nearest_name("--thread", kNames) == "--threads");
    CHECK(nearest_name("--strat", kNames) == "--start");
    CHECK(nearest_name("--therads", kNames) == "--threads");
}

TEST_CASE("of several that are as near the shortest is meant") { CHECK(nearest_name("AVX51", kNames) == "avx512"); }

TEST_CASE("what is like no name is none") {
    for (const std::string word : {"", "-", "--", "x", "mi", "gpu", "frobnicate", "--frobnicate"})
        CHECK(nearest_name(word, kNames).empty());
    CHECK(nearest_name(std::string(100'000, 'm'), kNames).empty());
    CHECK(nearest_name("mine", {}).empty());
}

TEST_CASE("a suggestion is half a sentence, or nothing") {
    CHECK(did_you_mean("mien", kNames) == "; did you mean mine?");
    CHECK(did_you_mean("frobnicate", kNames).empty());
}
