// Bounds of JSON texts, against nlohmann-json's reading of the same texts.
#include <algorithm>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "host/text/json_text.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

constexpr std::size_t kMany = 1'000'000;

struct Extent {
    std::size_t levels = 0, values = 0, names = 0;
};

void measure(const nlohmann::json& value, std::size_t level, Extent& extent) {
    ++extent.values;
    if (!value.is_structured()) return;
    extent.levels = std::max(extent.levels, level + 1);
    if (value.is_object()) extent.names = std::max(extent.names, value.size());
    for (const nlohmann::json& element : value) measure(element, level + 1, extent);
}

/// A value of any form, with the characters that mean something to JSON in its strings.
nlohmann::json any_value(std::mt19937& random, int levels) {
    switch (random() % (levels == 0 ? 4U : 8U)) {
        case 0: return nullptr;
        case 1: return random() % 100;
        case 2: return R"(,:{}[]\"\\)";
        case 3: return "";
        case 4:
        case 5: {
            nlohmann::json list = nlohmann::json::array();
            for (auto left = random() % 4; left > 0; --left) list.push_back(any_value(random, levels - 1));
            return list;
        }
        default: {
            nlohmann::json object = nlohmann::json::object();
            for (auto left = random() % 4; left > 0; --left) {
                object[R"("{,:\)" + std::to_string(left)] = any_value(random, levels - 1);
            }
            return object;
        }
    }
}

}  // namespace

TEST_CASE("a JSON text's bounds are those of its values", "[json_bounds]") {
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        const nlohmann::json value = any_value(random, 5);
        const std::string text = value.dump(static_cast<int>(random() % 3) - 1);
        CAPTURE(text);
        Extent extent;
        measure(nlohmann::json::parse(text), 0, extent);
        CHECK(exceeded_bound(text, {extent.levels, extent.values, extent.names}).empty());
        const auto exceeded = [&](std::size_t levels, std::size_t values, std::size_t names) {
            return exceeded_bound(text, {levels, values, names});
        };
        if (extent.levels > 0) {
            const std::size_t fewer = extent.levels - 1;
            CHECK(exceeded(fewer, kMany, kMany) == "at most " + std::to_string(fewer) + " levels");
        }
        if (extent.values > 1) {
            const std::size_t fewer = extent.values - 1;
            CHECK(exceeded(kMany, fewer, kMany) == "at most " + std::to_string(fewer) + " values");
        }
        if (extent.names > 0) {
            const std::size_t fewer = extent.names - 1;
            CHECK(exceeded(kMany, kMany, fewer) == "at most " + std::to_string(fewer) + " names in an object");
        }
    }
}

TEST_CASE("the bounds of what is no JSON end where it ends to be one", "[json_bounds]") {
    const JsonBounds bounds{2, 3};
    for (const char* text :
         {"", " ", "]", "}]", "1]][[[[", "\"", "\"[[[[", "\"\\", "\"\\\"[[[", ":::", "[\"\\\\", "{"}) {
        CAPTURE(text);
        CHECK(exceeded_bound(text, bounds).empty());
    }
    CHECK(exceeded_bound(std::string(kMany, '['), bounds) == "at most 2 levels");
    CHECK(exceeded_bound("[" + std::string(kMany, ','), bounds) == "at most 3 values");
    CHECK(exceeded_bound(std::string_view("[\0\0\0", 4), bounds).empty());
}
