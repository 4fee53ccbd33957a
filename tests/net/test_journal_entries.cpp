// Entries of a journal that are still open: which they are, and that they outlive the file they are in.
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/journal.hpp"
#include "net/journal_entries.hpp"
#include "tests/catch.hpp"
#include "tests/net/journal_files.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace gpuminer;
using gpuminer::net::Journal;
using gpuminer::test::permissions;
using gpuminer::test::TemporaryFolder;
using gpuminer::test::text_of;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void write_large(const fs::path& path) {
    std::ofstream file(path);
    for (int id = 0; id < 17; ++id) file << json{{"id", id}, {"pad", std::string(1 << 20, 'x')}}.dump() << '\n';
}

}  // namespace

TEST_CASE("a large journal is moved aside, and what it held is still known", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    folder.write("pool.jsonl.1", "older\n");
    folder.write("pool.jsonl.new", "left by a crash\n");
    write_large(path);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    const auto size = fs::file_size(path);
    {
        Journal journal(path, [](const std::vector<json>&) { return std::vector<json>(); });
        CHECK(journal.path() == path);
        REQUIRE(journal.earlier().size() == 17);
        CHECK(journal.earlier().back()["id"] == 16);
        journal.append({{"id", 17}});
        CHECK(Journal(path).path() == folder.path() / "pool-2.jsonl");  // the new file is locked
    }
    CHECK(fs::file_size(folder.path() / "pool.jsonl.1") == size);
    CHECK(text_of(path) == "{\"id\":17}\n");
    CHECK(permissions(path) == 0600);
}

TEST_CASE("what is open in a large journal is in the new one, too", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    write_large(path);
    const auto small_id = [](const std::vector<json>& entries) { return std::vector<json>{entries[3], entries[5]}; };
    CHECK(Journal(path, small_id).earlier().size() == 17);
    const std::vector<json> open = Journal(path, small_id).earlier();
    REQUIRE(open.size() == 2);
    CHECK(open[0]["id"] == 3);
    CHECK(open[1]["id"] == 5);
    CHECK_FALSE(fs::exists(folder.path() / "pool.jsonl.new"));
}

TEST_CASE("where a large journal cannot be moved, or nothing tells what is open in it, it stays", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    write_large(path);
    Journal::StillOpen still_open;
    SECTION("nothing tells") {}
    SECTION("there is a folder of that name") {
        fs::create_directories(folder.path() / "pool.jsonl.1" / "x");
        still_open = [](const std::vector<json>&) { return std::vector<json>(); };
    }
    Journal(path, still_open).append({{"id", 17}});
    CHECK(Journal(path).earlier().size() == 18);
}

TEST_CASE("what is open: shares without an answer, the last sessions, blocks that some node has not answered",
          "[journal]") {
    const auto share = [](const char* id) { return json{{"event", "share"}, {"id", id}}; };
    const auto session = [](const char* id) { return json{{"event", "session"}, {"pool", "p"}, {"session", id}}; };
    CHECK(net::open_shares({session("old"),
                            share("1"),
                            {{"event", "reply"}, {"share", "1"}},
                            share("2"),
                            session("new"),
                            share("3"),
                            {{"event", "dropped"}, {"share", "3"}},
                            {{"event", 7}},
                            share("4")}) == std::vector<json>{session("new"), share("2"), share("4")});

    const auto block = [](const char* hash, std::time_t time) {
        return json{{"event", "block"}, {"hash", hash}, {"time", time}};
    };
    const auto answer = [](const char* hash) { return json{{"event", "submitted"}, {"hash", hash}, {"node", "n"}}; };
    const std::time_t now = std::time(nullptr);
    const std::time_t long_ago = now - 3 * 24 * 3600;
    CHECK(net::open_blocks({block("a", long_ago), block("b", long_ago), answer("a"), block("c", now), answer("c")}) ==
          std::vector<json>{block("b", long_ago), block("c", now), answer("c")});
}

TEST_CASE("what is open in a file that no process holds any more is taken over, once", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    const Journal::StillOpen open = [](const std::vector<json>& entries) {
        std::vector<json> chosen;
        for (const json& entry : entries) {
            if (entry.value("open", false)) chosen.push_back(entry);
        }
        return chosen;
    };
    {
        Journal first(path, open);
        Journal second(path, open);
        Journal third(path, open);
        first.append({{"id", 1}, {"open", true}});
        second.append({{"id", 2}, {"open", true}});
        second.append({{"id", 3}});
        third.append({{"id", 4}});
        const Journal fourth(path, open);
        CHECK(fourth.earlier().empty());  // they are at work
    }
    const auto ids = [](const Journal& journal) {
        std::set<int> found;
        for (const json& entry : journal.earlier()) found.insert(entry.at("id").get<int>());
        return found;
    };
    CHECK(ids(Journal(path, open)) == std::set<int>{1, 2});
    CHECK_FALSE(fs::exists(folder.path() / "pool-2.jsonl"));
    CHECK(fs::exists(folder.path() / "pool-2.jsonl.1"));
    CHECK(ids(Journal(path, open)) == std::set<int>{1, 2});
}
