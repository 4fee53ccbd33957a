// JSON behind a pointer: values of their own, members, moves.
#include <utility>

#include <nlohmann/json.hpp>

#include "net/json_box.hpp"
#include "tests/catch.hpp"

using gpuminer::net::JsonBox;
using nlohmann::json;

TEST_CASE("a JSON box is a value", "[json]") {
    JsonBox box;
    CHECK(box->is_null());
    box = {{"a", 1}, {"b", json::array({2})}};
    JsonBox copy = box;
    copy["a"] = 3;
    copy["b"].push_back(4);
    CHECK(*box == json{{"a", 1}, {"b", {2}}});
    CHECK(*copy == json{{"a", 3}, {"b", {2, 4}}});

    const JsonBox moved = std::move(copy);
    CHECK(moved["a"] == 3);
    CHECK_THROWS(moved["c"]);
    copy = moved;
    CHECK(*copy == *moved);
    copy["c"] = true;
    box = std::move(copy);
    CHECK(box->size() == 3);
}
