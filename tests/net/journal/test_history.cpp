// Statistics of a journal.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "net/journal/history.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"

using nlohmann::json;
namespace net = gpuminer::net;

namespace {

constexpr double kNoon = 1'763'899'200;  // 2025-11-23T12:00:00Z
constexpr const char* kPool = "stratum+tcp://pool.example:3333";
// Block 1's: difficulty 2536.4… by hash.
constexpr const char* kGoodHash = "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048";

json share_of(const std::string& id, double time = kNoon, const char* pool = kPool) {
    return {{"event", "share"}, {"id", id}, {"time", time}, {"pool", pool}, {"block", false}};
}
json reply_to(const std::string& id, bool accepted, const char* reason = "") {
    return {{"event", "reply"}, {"share", id}, {"accepted", accepted}, {"difficulty", 0.5}, {"reason", reason}};
}

net::JournalHistory history_of(const std::vector<json>& entries) {
    net::JournalHistory history;
    for (const json& entry : entries) history.add(entry, true);
    return history;
}

struct JournalFolder : gpuminer::test::TemporaryFolder {
    void write(const char* name, const std::vector<json>& entries) const {
        std::string text;
        for (const json& entry : entries) text += entry.dump() + '\n';
        TemporaryFolder::write(name, text);
    }
};

}  // namespace

TEST_CASE("shares are counted by day and pool, with their ends", "[journal]") {
    json good = share_of("d", kNoon + 1);
    good["hash"] = kGoodHash;
    const net::JournalHistory history = history_of({share_of("a"),
                                                    share_of("b"),
                                                    reply_to("a", true),
                                                    reply_to("b", false, "low difficulty"),
                                                    share_of("c", kNoon + 43'200),  // midnight
                                                    {{"event", "dropped"}, {"share", "c"}, {"reason", "stale"}},
                                                    good,
                                                    share_of("e", kNoon, "another"),
                                                    {{"event", "shares"},
                                                     {"time", kNoon},
                                                     {"pool", "another"},
                                                     {"shares", 10},
                                                     {"accepted", 9},
                                                     {"refused", 1},
                                                     {"accepted_difficulty", 2.25}}});
    const auto days = history.days();
    REQUIRE(days.size() == 3);
    CHECK((days[0].day == "2025-11-23" && days[0].pool == "another"));
    CHECK((days[0].counts.shares == 11 && days[0].counts.accepted == 9 && days[0].counts.open == 1));
    CHECK(days[0].counts.accepted_difficulty == 2.25);
    CHECK((days[1].day == "2025-11-23" && days[1].pool == kPool));
    CHECK((days[1].counts.shares == 3 && days[1].counts.accepted == 1 && days[1].counts.refused == 1));
    CHECK((days[1].counts.open == 1 && days[1].counts.accepted_difficulty == 0.5));
    CHECK((days[1].counts.best_difficulty > 1.9 && days[1].counts.best_difficulty < 2));
    CHECK(days[1].reasons == std::map<std::string, std::uint64_t>{{"low difficulty", 1}});
    CHECK((days[2].day == "2025-11-24" && days[2].counts.dropped == 1 && days[2].counts.open == 0));
    CHECK(history.earlier().shares == 0);
}

TEST_CASE("blocks have the result of the node or pool that took them", "[journal]") {
    json solving = share_of("s");
    solving["block"] = true;
    solving["hash"] = kGoodHash;
    const json found{{"event", "block"}, {"chain", "signet"}, {"hash", "aa"}, {"height", 7}, {"time", kNoon}};
    const auto answer = [](bool accepted, const char* reason) {
        return json{{"event", "submitted"}, {"hash", "aa"}, {"node", "n"}, {"accepted", accepted}, {"reason", reason}};
    };
    const auto blocks =
        history_of({solving, found, answer(false, "stale-prevblk"), answer(true, ""), answer(false, "duplicate")})
            .blocks();
    REQUIRE(blocks.size() == 2);
    CHECK((blocks[0].where == kPool && blocks[0].hash == kGoodHash && blocks[0].result.empty()));
    CHECK((blocks[1].where == "signet" && blocks[1].height == 7 && blocks[1].result == "accepted"));
    CHECK(blocks[1].time == "2025-11-23T12:00:00Z");
    CHECK(history_of({found, answer(false, "high-hash")}).blocks().at(0).result == "high-hash");
    CHECK(history_of({solving, reply_to("s", true)}).blocks().at(0).result == "accepted");
}

TEST_CASE("a journal's files are read as one, from the oldest on", "[journal]") {
    const JournalFolder folder;
    json again = share_of("b");
    again["counted_before"] = true;
    folder.write("pool.jsonl.2",
                 {{{"event", "journal"}, {"shares", 100}, {"accepted", 90}, {"best_difficulty", 7e6}, {"blocks", 2}},
                  share_of("a"),
                  share_of("b")});
    folder.write("pool.jsonl.1", {{{"event", "journal"}, {"shares", 102}}, again, reply_to("b", true)});
    folder.write("pool.jsonl", {{{"event", "journal"}, {"shares", 102}, {"accepted", 91}}, share_of("c")});
    folder.write("pool-2.jsonl.1", {{{"event", "journal"}, {"shares", 5}}, share_of("x")});
    folder.write("poor.jsonl", {share_of("y")});
    const auto groups = net::journal_files(folder.path() / "pool.jsonl");
    REQUIRE(groups.size() == 2);
    CHECK((groups[0].size() == 3 && groups[0][0].filename() == "pool.jsonl.2" &&
           groups[0][2].filename() == "pool.jsonl"));
    net::JournalHistory history;
    for (const auto& files : groups) net::read_history(files, history);
    CHECK((history.earlier().shares == 105 && history.earlier().accepted == 90));
    CHECK((history.earlier().best_difficulty == 7e6 && history.earlier_blocks() == 2));
    const auto days = history.days();
    REQUIRE(days.size() == 1);
    CHECK((days[0].counts.shares == 4 && days[0].counts.accepted == 1 && days[0].counts.open == 3));
}

TEST_CASE("strange entries are nothing, and what is no file is an error", "[journal]") {
    const net::JournalHistory history =
        history_of({{{"event", "share"}},
                    {{"event", "share"}, {"id", 5}, {"time", "x"}, {"pool", {1}}, {"hash", "zz"}},
                    share_of("far", 1e300),
                    share_of("past", -5),
                    reply_to("unknown", true),
                    {{"event", "shares"}, {"shares", -7}, {"accepted_difficulty", "much"}},
                    {{"event", "block"}},
                    {{"no", 1}}});
    for (const net::PoolDay& day : history.days()) CHECK(day.day.empty());
    CHECK_THROWS_AS(([] {
                        net::JournalHistory none;
                        net::read_history({"/dev/null"}, none);
                    }()),
                    gpuminer::InputError);
    CHECK(net::journal_files("/nowhere/pool.jsonl").empty());
}

TEST_CASE("very many days and open shares take no more memory than a bound", "[journal]") {
    net::JournalHistory history;
    constexpr std::uint64_t kMany = net::JournalHistory::kMostDays + 10;
    for (std::uint64_t i = 0; i < kMany; ++i)
        history.add(share_of(std::to_string(i), kNoon, std::to_string(i).c_str()), true);
    CHECK(history.days().size() == net::JournalHistory::kMostDays);
    CHECK(history.earlier().shares == 10);
}
