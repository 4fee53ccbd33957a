// Tests of the journal's file: crashes, full disks, a second process, and strangers' files, which are left alone.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"
#include "tests/net/journal/journal_files.hpp"

using namespace gpuminer;
using gpuminer::net::JournalFile;
using gpuminer::test::entries_of;
using gpuminer::test::Environment;
using gpuminer::test::OpenedFile;
using gpuminer::test::permissions;
using gpuminer::test::TemporaryFolder;
using gpuminer::test::text_of;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFirstLine =
    "{\"accepted\":0,\"accepted_blocks\":0,\"accepted_difficulty\":0.0,\"best_difficulty\":0.0,\"blocks\":0,"
    "\"dropped\":0,\"event\":"
    "\"journal\","
    "\"program\":\"gpuminer\",\"refused\":0,\"shares\":0}\n";

json share(const std::string& id) { return {{"event", "share"}, {"id", id}}; }

std::vector<std::string> ids_of(const std::vector<json>& entries) {
    std::vector<std::string> ids;
    for (const json& entry : entries) ids.push_back(entry.value("id", ""));
    return ids;
}

std::string failure(const fs::path& path) {
    return input_error([&] { OpenedFile(path).append({{"event", "share"}}); });
}

}  // namespace

TEST_CASE("a journal keeps its entries in order, one line each", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "a" / "b" / "pool.jsonl";
    {
        OpenedFile journal(path);
        CHECK(journal.file.path() == path);
        CHECK(journal.left_open.empty());
        CHECK(text_of(path).empty());
        journal.append({{"event", "share"}, {"id", "1"}});
        journal.append({{"event", "share"}, {"id", "two\nlines"}});
        CHECK(text_of(path) == kFirstLine + std::string("{\"event\":\"share\",\"id\":\"1\"}\n"
                                                        "{\"event\":\"share\",\"id\":\"two\\nlines\"}\n"));
    }
    CHECK(permissions(path) == 0600);
    CHECK(permissions(folder.path() / "a" / "b") == 0700);
    CHECK(permissions(folder.path() / "a") == 0700);
    OpenedFile again(path);
    CHECK(ids_of(again.left_open) == std::vector<std::string>{"1", "two\nlines"});
    again.append(share("3"));
    CHECK(entries_of(path).size() == 3);
}

TEST_CASE("a last line that a crash cut off is left out, and the next one is whole", "[journal]") {
    const TemporaryFolder folder;
    folder.write("pool.jsonl", R"({"event":"share","id":"1"})"
                               "\n"
                               R"({"event":"share","id":"2)");
    const fs::path path = folder.path() / "pool.jsonl";
    {
        OpenedFile journal(path);
        CHECK(ids_of(journal.left_open) == std::vector<std::string>{"1"});
        journal.append(share("3"));
        journal.append(share("4"));
    }
    CHECK(ids_of(OpenedFile(path).left_open) == std::vector<std::string>{"1", "3", "4"});
}

TEST_CASE("a journal that another process holds is left to it", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    OpenedFile first(path);
    first.append(share("1"));
    {
        OpenedFile second(path);
        CHECK(second.file.path() == folder.path() / "pool-2.jsonl");
        CHECK(second.left_open.empty());
        const OpenedFile third(path);
        CHECK(third.file.path() == folder.path() / "pool-3.jsonl");
        second.append(share("2"));
    }
    const OpenedFile second(path);
    CHECK(second.file.path() == folder.path() / "pool-2.jsonl");
    CHECK(ids_of(second.left_open) == std::vector<std::string>{"2"});
    CHECK(entries_of(path).size() == 1);
}

TEST_CASE("what is open in a file that no process has any more is taken over, once", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    {
        OpenedFile first(path), second(path), third(path);
        first.append(share("1"));
        second.append(share("2"));
        second.append(share("3"));
        second.append({{"event", "reply"}, {"share", "3"}, {"accepted", true}, {"difficulty", 0.5}});
        third.append({{"event", "dropped"}, {"share", "none"}});
        const OpenedFile fourth(path);
        CHECK(fourth.left_open.empty());  // they are at work
    }
    CHECK(ids_of(OpenedFile(path).left_open) == std::vector<std::string>{"2", "1"});
    CHECK_FALSE(fs::exists(folder.path() / "pool-2.jsonl"));
    CHECK(fs::exists(folder.path() / "pool-2.jsonl.1"));
    CHECK(ids_of(OpenedFile(path).left_open) == std::vector<std::string>{"1", "2"});
    // Its totals have come along.
    json totals;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const json entry = json::parse(line);
        if (entry["event"] == "journal" && entry["shares"] != 0) totals = entry;
    }
    CHECK(totals["shares"] == 2);
    CHECK(totals["accepted"] == 1);
    CHECK(totals["accepted_difficulty"] == 0.5);
}

TEST_CASE("only a regular file of this user is a journal", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    SECTION("a pipe, which nobody reads") {
        REQUIRE(mkfifo(path.c_str(), 0600) == 0);
        CHECK(failure(path) ==
              fmt::format("expected a regular file as the journal, but '{}' is a pipe", path.native()));
    }
    SECTION("a symbolic link") {
        folder.write("other", "its text\n");
        fs::create_symlink(folder.path() / "other", path);
        CHECK(contains(failure(path), "is a symbolic link"));
        CHECK(text_of(folder.path() / "other") == "its text\n");
    }
    SECTION("a symbolic link that leads nowhere") {
        fs::create_symlink(folder.path() / "other", path);
        CHECK(contains(failure(path), "is a symbolic link"));
        CHECK_FALSE(fs::exists(folder.path() / "other"));
    }
    SECTION("devices") {
        CHECK(contains(failure("/dev/null"), "'/dev/null' is a device"));
        CHECK(contains(failure("/dev/full"), "is a device"));
    }
    SECTION("a folder") { CHECK(contains(failure(folder.path()), "is a folder")); }
    SECTION("one that others could read is for its owner from now on") {
        folder.write("pool.jsonl", "");
        fs::permissions(path, fs::perms(0644));
        CHECK(failure(path).empty());
        CHECK(permissions(path) == 0600);
    }
}

TEST_CASE("what stands beside the journal is taken over only where this program and user made it", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    const fs::path beside = folder.path() / "pool-2.jsonl";
    const std::string invented = kFirstLine + share("invented").dump() + "\n";
    std::string text;
    SECTION("a pipe") { REQUIRE(mkfifo(beside.c_str(), 0600) == 0); }
    SECTION("a symbolic link") {
        folder.write("other", text = invented);
        fs::create_symlink(folder.path() / "other", beside);
    }
    SECTION("a file that does not begin as a journal does") {
        folder.write("pool-2.jsonl", text = share("invented").dump() + "\n");
    }
    SECTION("a folder") { fs::create_directory(beside); }
    {
        OpenedFile first(path);
        CHECK(first.left_open.empty());
        const OpenedFile second(path);
        CHECK(second.file.path() == folder.path() / "pool-3.jsonl");
        CHECK(second.left_open.empty());
    }
    if (!text.empty()) CHECK(text_of(beside) == text);
}

TEST_CASE("another user's file is neither a journal nor taken over", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    const fs::path beside = folder.path() / "pool-2.jsonl";
    const std::string invented = kFirstLine + share("invented").dump() + "\n";
    folder.write("pool.jsonl", "");
    folder.write("pool-2.jsonl", invented);
    if (chown(path.c_str(), 65534, 65534) != 0 || chown(beside.c_str(), 65534, 65534) != 0) {
        std::cout << "SKIPPED: only root can give a file to another user" << std::endl;
        return;
    }
    CHECK(contains(failure(path), "belongs to user 65534"));
    fs::remove(path);
    OpenedFile first(path);
    CHECK(first.left_open.empty());
    CHECK(OpenedFile(path).file.path() == folder.path() / "pool-3.jsonl");
    CHECK(text_of(beside) == invented);
}

TEST_CASE("a journal that cannot be written is an error with the reason", "[journal]") {
    const TemporaryFolder folder;
    folder.write("file", "");
    CHECK(contains(failure(folder.path() / "file" / "pool.jsonl"), "Not a directory"));
    CHECK(contains(failure("/proc/no/pool.jsonl"), "cannot make the folder '/proc/no'"));
    CHECK(contains(failure("/sys/pool.jsonl"), "cannot open the journal '/sys/pool.jsonl'"));
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
        OpenedFile journal(path);
        journal.append(share("1"));
        limit.rlim_cur = fs::file_size(path) + 5;  // in the middle of the next line
        REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        message = input_error([&] { journal.append(share("2")); });
        REQUIRE(setrlimit(RLIMIT_FSIZE, &old_limit) == 0);
        journal.append(share("3"));
    }
    std::signal(SIGXFSZ, old_handler);
    CHECK(contains(message, "File too large"));
    CHECK(ids_of(OpenedFile(path).left_open) == std::vector<std::string>{"1", "3"});
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
            OpenedFile journal(path);
            for (std::uint32_t id = 0;; ++id) {
                journal.append(
                    {{"event", "share"}, {"round", round}, {"id", fmt::format("{}-{}", round, id)}, {"n", id}});
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
        const OpenedFile journal(path);
        CHECK(journal.file.path() == path);
        std::uint32_t seen = 0;
        for (const json& entry : journal.left_open) {
            if (entry["round"] == round) CHECK(entry["n"] == seen++);
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
