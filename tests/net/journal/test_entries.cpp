// Open entries of a journal: which entries are open, and how many are kept at most.
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/journal/entries.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using gpuminer::net::OpenEntries;
using nlohmann::json;

namespace {

json share_entry_of(const std::string& id) { return {{"event", "share"}, {"id", id}}; }
json session_entry_of(const char* id) { return {{"event", "session"}, {"pool", "p"}, {"session", id}}; }
json block_entry_of(const std::string& hash, std::time_t time) {
    return {{"event", "block"}, {"hash", hash}, {"time", time}};
}
json answer_entry_of(const std::string& hash) { return {{"event", "submitted"}, {"hash", hash}, {"node", "n"}}; }

/// What is open of these, without the mark.
std::vector<json> open_of(const std::vector<json>& entries) {
    OpenEntries open;
    for (const json& entry : entries) open.add(entry, entry.dump().size());
    std::vector<json> result = open.take();
    for (json& entry : result) {
        CHECK(entry["counted_before"] == true);
        entry.erase("counted_before");
    }
    CHECK(open.take().empty());
    return result;
}

}  // namespace

TEST_CASE("what is open: shares without an answer, and the last sessions", "[journal]") {
    CHECK(open_of({session_entry_of("old"),
                   share_entry_of("1"),
                   {{"event", "reply"}, {"share", "1"}},
                   share_entry_of("2"),
                   session_entry_of("new"),
                   share_entry_of("3"),
                   {{"event", "dropped"}, {"share", "3"}},
                   {{"event", 7}},
                   share_entry_of("2"),
                   share_entry_of("4")}) ==
          std::vector<json>{session_entry_of("new"), share_entry_of("2"), share_entry_of("4")});
}

TEST_CASE("what is open: blocks that some node has not answered", "[journal]") {
    const std::time_t now = std::time(nullptr);
    const std::time_t long_ago = now - 3 * 24 * 3600;
    CHECK(open_of({block_entry_of("a", long_ago), block_entry_of("b", long_ago), answer_entry_of("a"),
                   block_entry_of("c", now), answer_entry_of("c"), answer_entry_of("unknown")}) ==
          std::vector<json>{block_entry_of("b", long_ago), block_entry_of("c", now), answer_entry_of("c")});
}

TEST_CASE("of very many open entries the oldest are left out, and those that matter most are kept", "[journal]") {
    OpenEntries open;
    SECTION("shares") {
        json solving = share_entry_of("it solves a block");
        solving["block"] = true;
        open.add(solving, 100);
        for (std::size_t i = 0; i < OpenEntries::kMostShares + 5; ++i)
            open.add(share_entry_of(fmt::format("{}", i)), 100);
        const std::vector<json> kept = open.take();
        REQUIRE(kept.size() == OpenEntries::kMostShares);
        CHECK(kept[0]["id"] == "it solves a block");
        CHECK(kept[1]["id"] == "6");
    }
    SECTION("blocks") {
        const std::time_t now = std::time(nullptr);
        open.add(block_entry_of("unanswered", now - 5), 100);
        for (std::size_t i = 0; i < OpenEntries::kMostBlocks + 5; ++i) {
            const std::string hash = fmt::format("{}", i);
            open.add(block_entry_of(hash, now), 100);
            open.add(answer_entry_of(hash), 100);
        }
        const std::vector<json> kept = open.take();
        REQUIRE(kept.size() == 2 * (OpenEntries::kMostBlocks - 1) + 1);
        CHECK(kept[0]["hash"] == "unanswered");
        CHECK(kept[1]["hash"] == "6");
    }
    SECTION("by their length") {
        for (int i = 0; i < 9; ++i) {
            json block = block_entry_of(fmt::format("{}", i), 0);
            open.add(block, OpenEntries::kMostBlockText / 4);
        }
        CHECK(open.take().size() == 4);
        open.add(share_entry_of("too long for a share"), 100'000);
        CHECK(open.take().empty());
    }
}

TEST_CASE("totals are those of all entries, summed ones and those of earlier files", "[journal]") {
    OpenEntries open;
    const auto add = [&open](const json& entry) { open.add(entry, entry.dump().size()); };
    add({{"event", "journal"},
         {"program", "gpuminer"},
         {"shares", 100},
         {"accepted", 90},
         {"accepted_difficulty", 1e3},
         {"best_difficulty", 77.5},
         {"refused", -5},
         {"blocks", "many"}});
    add({{"event", "shares"},
         {"shares", 10},
         {"accepted", 7},
         {"refused", 2},
         {"dropped", 1},
         {"accepted_difficulty", 7.5}});
    add({{"event", "share"}, {"id", "a"}, {"counted_before", true}});
    add(share_entry_of("b"));
    add({{"event", "reply"}, {"share", "a"}, {"accepted", true}, {"difficulty", 0.25}});
    add({{"event", "reply"}, {"share", "b"}, {"accepted", false}, {"difficulty", 0.25}});
    add(block_entry_of("x", 1));
    for (const char* node : {"one", "two"}) {
        add({{"event", "submitted"}, {"hash", "x"}, {"node", node}, {"accepted", true}});
    }
    CHECK(open.totals() == json{{"shares", 111},
                                {"accepted", 98},
                                {"refused", 3},
                                {"dropped", 1},
                                {"accepted_difficulty", 1007.75},
                                {"best_difficulty", 77.5},
                                {"blocks", 1},
                                {"accepted_blocks", 1}});
}

TEST_CASE("the totals of two algorithms stay apart from file to file") {
    OpenEntries open, next;
    const auto add = [](OpenEntries& to, const json& entry) { to.add(entry, entry.dump().size()); };
    json share = share_entry_of("v");
    share["algorithm"] = "verushash";
    add(open, share);
    add(open, share_entry_of("s"));
    for (const char* id : {"s", "v", "gone"})
        add(open, {{"event", "reply"}, {"share", id}, {"accepted", true}, {"difficulty", 0.25}});
    add(open, {{"event", "shares"}, {"algorithm", "verushash"}, {"shares", 3}, {"accepted_difficulty", 0.5}});
    add(next, net::first_entry(open.totals()));
    for (const OpenEntries* each : {&open, &next}) {
        const json totals = each->totals();
        CHECK(totals["shares"] == 1);
        CHECK(totals["accepted_difficulty"] == 0.5);  // of a reply to nothing as well
        CHECK(totals["verushash"]["shares"] == 4);
        CHECK(totals["verushash"]["accepted_difficulty"] == 0.75);
    }
}
