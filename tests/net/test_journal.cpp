// The journal: its entries survive crashes, full disks and a second process.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "net/journal.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/messages.hpp"
#include "tests/net/journal_files.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace gpuminer;
using gpuminer::net::Journal;
using gpuminer::test::Environment;
using gpuminer::test::permissions;
using gpuminer::test::TemporaryFolder;
using gpuminer::test::text_of;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string failure(const fs::path& path) {
    try {
        Journal(path).append({{"event", "share"}});
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a journal keeps its entries in order, one line each", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "a" / "b" / "pool.jsonl";
    {
        Journal journal(path);
        CHECK(journal.path() == path);
        CHECK(journal.earlier().empty());
        journal.append({{"event", "share"}, {"id", 1}});
        journal.append({{"event", "reply"}, {"text", "two\nlines"}});
        CHECK(text_of(path) == "{\"event\":\"share\",\"id\":1}\n{\"event\":\"reply\",\"text\":\"two\\nlines\"}\n");
    }
    CHECK(permissions(path) == 0600);
    CHECK(permissions(folder.path() / "a" / "b") == 0700);
    CHECK(permissions(folder.path() / "a") == 0700);
    Journal again(path);
    REQUIRE(again.earlier().size() == 2);
    CHECK(again.earlier()[0] == json{{"event", "share"}, {"id", 1}});
    CHECK(again.earlier()[1]["text"] == "two\nlines");
    again.append({{"id", 3}});
    CHECK(again.earlier().size() == 2);  // what earlier runs wrote, and no more
}

TEST_CASE("a last line that a crash cut off is left out, and the next one is whole", "[journal]") {
    const TemporaryFolder folder;
    folder.write("pool.jsonl", "{\"id\":1}\n{\"id\":2");
    const fs::path path = folder.path() / "pool.jsonl";
    {
        Journal journal(path);
        REQUIRE(journal.earlier().size() == 1);
        journal.append({{"id", 3}});
        journal.append({{"id", 4}});
    }
    CHECK(text_of(path) == "{\"id\":1}\n{\"id\":2\n{\"id\":3}\n{\"id\":4}\n");
    CHECK(Journal(path).earlier() == std::vector<json>{{{"id", 1}}, {{"id", 3}}, {{"id", 4}}});
}

TEST_CASE("lines that are no JSON objects are left out", "[journal]") {
    const TemporaryFolder folder;
    folder.write("pool.jsonl", std::string("\n\n[1]\n7\nnull\ngarbage\xff\n") + '\0' + "\n{}\n{\"id\":1}{}\n" +
                                   std::string(100'000, '[') + "\n{\"id\":2}\n");
    CHECK(Journal(folder.path() / "pool.jsonl").earlier() == std::vector<json>{json::object(), {{"id", 2}}});
}

TEST_CASE("text that is not UTF-8 does not keep an entry from being written", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    Journal(path).append({{"reason", "bad \xff byte"}});
    CHECK(Journal(path).earlier().at(0).at("reason") == "bad \xef\xbf\xbd byte");
}

TEST_CASE("a journal that another process holds is left to it", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    Journal first(path);
    first.append({{"id", 1}});
    {
        Journal second(path);
        CHECK(second.path() == folder.path() / "pool-2.jsonl");
        CHECK(second.earlier().empty());
        Journal third(path);
        CHECK(third.path() == folder.path() / "pool-3.jsonl");
        second.append({{"id", 2}});
    }
    CHECK(Journal(path).path() == folder.path() / "pool-2.jsonl");
    CHECK(Journal(path).earlier() == std::vector<json>{{{"id", 2}}});
    CHECK(text_of(path) == "{\"id\":1}\n");
}

TEST_CASE("what is not a file may be the journal of several processes at once", "[journal]") {
    const Journal first("/dev/null");
    Journal second("/dev/null");
    CHECK(second.path() == "/dev/null");
    second.append({{"id", 1}});
}

TEST_CASE("a journal that cannot be written is an error with the reason", "[journal]") {
    const TemporaryFolder folder;
    folder.write("file", "");
    CHECK(contains(failure("/dev/full"), "cannot write the journal '/dev/full': No space left on device"));
    CHECK(contains(failure(folder.path() / "file" / "pool.jsonl"), "Not a directory"));
    CHECK(contains(failure(folder.path()), "Is a directory"));
    CHECK(contains(failure("/proc/no/pool.jsonl"), "cannot make the journal's folder '/proc/no'"));
    CHECK(contains(failure("/sys/pool.jsonl"), "cannot open the journal '/sys/pool.jsonl'"));
    CHECK(failure("/dev/null").empty());
    CHECK(failure(folder.path() / std::string(300, 'x')).size() < 400);
}

TEST_CASE("after a disk was full, the journal goes on with a whole line", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit old_limit {};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
    struct rlimit limit = old_limit;
    std::string message;
    {
        Journal journal(path);
        journal.append({{"id", 1}});
        limit.rlim_cur = 15;  // in the middle of the next line
        REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        try {
            journal.append({{"id", 2}});
        } catch (const InputError& error) {
            message = error.what();
        }
        REQUIRE(setrlimit(RLIMIT_FSIZE, &old_limit) == 0);
        journal.append({{"id", 3}});
    }
    std::signal(SIGXFSZ, old_handler);
    CHECK(contains(message, "File too large"));
    CHECK(Journal(path).earlier() == std::vector<json>{{{"id", 1}}, {{"id", 3}}});
}

TEST_CASE("what append() has taken survives a kill -9", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    for (int round = 0; round < 5; ++round) {
        int ends[2] = {};
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {  // appends for ever, and says after each what it has appended
            Journal journal(path);
            for (std::uint32_t id = 0;; ++id) {
                journal.append({{"round", round}, {"id", id}});
                if (write(ends[1], &id, sizeof id) != sizeof id) _exit(1);
            }
        }
        close(ends[1]);
        std::uint32_t id = 0;
        while (id < 7 && read(ends[0], &id, sizeof id) == sizeof id) {
        }
        kill(child, SIGKILL);
        while (read(ends[0], &id, sizeof id) == sizeof id) {  // what it said before it died
        }
        close(ends[0]);
        waitpid(child, nullptr, 0);
        const Journal journal(path);
        CHECK(journal.path() == path);
        std::uint32_t seen = 0;
        for (const json& entry : journal.earlier()) {
            if (entry["round"] == round) CHECK(entry["id"] == seen++);
        }
        CHECK(seen > id);
    }
}

TEST_CASE("where the journal is by default", "[journal]") {
    SECTION("below XDG_STATE_HOME") {
        const Environment state("XDG_STATE_HOME", "/somewhere");
        CHECK(net::default_journal_path("pool") == "/somewhere/gpuminer/pool.jsonl");
    }
    SECTION("below HOME, also where XDG_STATE_HOME is no absolute path") {
        const Environment home("HOME", "/home/me");
        const Environment state("XDG_STATE_HOME", "relative");
        CHECK(net::default_journal_path("solo") == "/home/me/.local/state/gpuminer/solo.jsonl");
    }
    SECTION("nowhere") {
        const Environment home("HOME", nullptr);
        const Environment state("XDG_STATE_HOME", nullptr);
        CHECK_THROWS_AS(net::default_journal_path("pool"), InputError);
    }
}
