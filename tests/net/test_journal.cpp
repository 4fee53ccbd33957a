// The journal: what it is given survives crashes, full disks and a second process.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "host/errors.hpp"
#include "net/journal.hpp"
#include "net/journal_entries.hpp"
#include "tests/catch.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace gpuminer;
using gpuminer::net::Journal;
using gpuminer::test::TemporaryFolder;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

mode_t permissions(const fs::path& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

std::string failure(const fs::path& path) {
    try {
        Journal(path).append({{"event", "share"}});
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void write_large(const fs::path& path) {
    std::ofstream file(path);
    for (int id = 0; id < 17; ++id) file << json{{"id", id}, {"pad", std::string(1 << 20, 'x')}}.dump() << '\n';
}

// An environment variable as it was before, at the end.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        if (value == nullptr) {
            unsetenv(name);
        } else {
            setenv(name, value, 1);
        }
    }
    ~Variable() {
        if (old_) {
            setenv(name_, old_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

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

TEST_CASE("text that is no UTF-8 does not keep an entry from being written", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    Journal(path).append({{"reason", "bad \xff byte"}});
    CHECK(Journal(path).earlier().at(0).at("reason") == "bad \xef\xbf\xbd byte");
}

TEST_CASE("a journal that somebody holds is left to him", "[journal]") {
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

TEST_CASE("where a large journal cannot be moved, or nobody knows what is open in it, it stays", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    write_large(path);
    Journal::StillOpen still_open;
    SECTION("nobody knows") {}
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

TEST_CASE("what is open in a file that nobody holds any more is taken over, once", "[journal]") {
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

TEST_CASE("what is no file may be the journal of several at once", "[journal]") {
    const Journal first("/dev/null");
    Journal second("/dev/null");
    CHECK(second.path() == "/dev/null");
    second.append({{"id", 1}});
}

TEST_CASE("whatever keeps a journal from being written is said", "[journal]") {
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
        const Variable state("XDG_STATE_HOME", "/somewhere");
        CHECK(net::default_journal_path("pool") == "/somewhere/gpuminer/pool.jsonl");
    }
    SECTION("below HOME, also where XDG_STATE_HOME is no absolute path") {
        const Variable home("HOME", "/home/me");
        const Variable state("XDG_STATE_HOME", "relative");
        CHECK(net::default_journal_path("solo") == "/home/me/.local/state/gpuminer/solo.jsonl");
    }
    SECTION("nowhere") {
        const Variable home("HOME", nullptr);
        const Variable state("XDG_STATE_HOME", nullptr);
        CHECK_THROWS_AS(net::default_journal_path("pool"), InputError);
    }
}
