// Tests of a journal's text to entries: invalid ones, and those beyond the limits, which are left out.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/journal/reader.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using gpuminer::net::EntryReader;
using nlohmann::json;

namespace {

std::vector<json> read_in_pieces(const std::string& text, std::size_t piece) {
    std::vector<json> entries;
    EntryReader reader([&](json entry, std::size_t size) {
        CHECK(size == entry.dump().size());  // of what these tests have as good entries
        entries.push_back(std::move(entry));
    });
    for (std::size_t from = 0; from < text.size(); from += piece)
        reader.add(std::string_view(text).substr(from, piece));
    reader.finish();
    return entries;
}

std::string share_with(const std::string& more) { return R"({"event":"share","id":)" + more + "}"; }

}  // namespace

TEST_CASE("entries are read whatever the pieces are that the text comes in", "[journal]") {
    const std::string text = std::string("\n\n[1]\n7\nnull\ngarbage\xff\n") + '\0' + "\n{}\n" + share_with("1") +
                             "{}\n" + share_with("2") + "\n\"event\"\n" + share_with(R"("a\"]}[{,")") + "\n" +
                             share_with("3");
    const std::vector<json> expected{
        {{"event", "share"}, {"id", 2}}, {{"event", "share"}, {"id", "a\"]}[{,"}}, {{"event", "share"}, {"id", 3}}};
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, text.size()}) {
        CHECK(read_in_pieces(text, piece) == expected);
    }
}

TEST_CASE("entries that are deep, long or of very many values are left out", "[journal]") {
    const std::string good = share_with("1");
    const std::vector<json> expected{json::parse(good)};
    const auto only_good = [&](const std::string& other) {
        return read_in_pieces(other + "\n" + good + "\n" + other, 100'000) == expected;
    };
    CHECK(only_good(share_with(std::string(200'000, '[') + std::string(200'000, ']'))));
    CHECK(only_good(std::string(200'000, '[')));
    CHECK(only_good(share_with("[[1]]")));
    std::string many = "1";
    for (int i = 0; i < 100'000; ++i) many += ",1";
    CHECK(only_good(share_with("[" + many + "]")));
    CHECK(only_good(share_with("\"" + std::string(net::kLongestEntry, 'x') + "\"")));
    // A block of the main network is not too long.
    const std::string block = R"({"block":")" + std::string(8'000'000, '0') + R"(","event":"block"})";
    CHECK(read_in_pieces(block + "\n", 100'000).size() == 1);
}
