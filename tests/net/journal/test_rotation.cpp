// Tests of rotation. The journal's size and its number of files are bounded; no open entry and no total gets lost.
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"
#include "tests/net/journal/journal_files.hpp"

using namespace gpuminer;
using gpuminer::net::JournalLimits;
using gpuminer::test::OpenedFile;
using gpuminer::test::permissions;
using gpuminer::test::TemporaryFolder;
using gpuminer::test::text_of;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr JournalLimits kSmall{.file = 2'000, .kept = 2};

json numbered_share(int number) { return {{"event", "share"}, {"id", fmt::format("{}", number)}}; }
json reply_to(int number, bool accepted = true) {
    return {{"event", "reply"}, {"share", fmt::format("{}", number)}, {"accepted", accepted}, {"difficulty", 2.0}};
}

std::uintmax_t size_of_all(const fs::path& folder) {
    std::uintmax_t size = 0;
    for (const auto& file : fs::directory_iterator(folder)) size += file.file_size();
    return size;
}

/// The totals of all files ever, by the rule that docs/mining.md gives: the first entry's, and what follows it.
json totals_of(const fs::path& path) {
    std::uint64_t shares = 0, accepted = 0, refused = 0;
    double difficulty = 0;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const json entry = json::parse(line);
        if (entry["event"] == "journal") {
            shares += entry["shares"].get<std::uint64_t>();
            accepted += entry["accepted"].get<std::uint64_t>();
            refused += entry["refused"].get<std::uint64_t>();
            difficulty += entry["accepted_difficulty"].get<double>();
        } else if (entry["event"] == "share" && !entry.contains("counted_before")) {
            ++shares;
        } else if (entry["event"] == "reply") {
            ++(entry["accepted"] == true ? accepted : refused);
            if (entry["accepted"] == true) difficulty += entry["difficulty"].get<double>();
        }
    }
    return {{"shares", shares}, {"accepted", accepted}, {"refused", refused}, {"accepted_difficulty", difficulty}};
}

}  // namespace

TEST_CASE("while a journal is written it is rotated, and bounded", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    folder.write("pool.jsonl.new", "left by a crash\n");
    constexpr int kShares = 200;
    {
        OpenedFile journal(path, kSmall);
        for (int number = 0; number < kShares; ++number) {
            journal.append(numbered_share(number));
            if (number % 20 != 7) journal.append(reply_to(number, number % 3 != 0));  // ten are never answered
            REQUIRE(size_of_all(folder.path()) < 3 * (kSmall.file + 1'000));
        }
        CHECK(OpenedFile(path).file.path() == folder.path() / "pool-2.jsonl");  // the new file is locked
        fs::remove(folder.path() / "pool-2.jsonl");
    }
    CHECK(permissions(path) == 0600);
    CHECK(fs::exists(folder.path() / "pool.jsonl.1"));
    CHECK(fs::exists(folder.path() / "pool.jsonl.2"));
    CHECK_FALSE(fs::exists(folder.path() / "pool.jsonl.3"));
    CHECK_FALSE(fs::exists(folder.path() / "pool.jsonl.new"));
    const json totals = totals_of(path);
    CHECK(totals["shares"] == kShares);
    CHECK(totals["accepted"].get<int>() + totals["refused"].get<int>() == kShares - 10);
    CHECK(totals["accepted_difficulty"] == 2.0 * totals["accepted"].get<int>());
    OpenedFile again(path, kSmall);
    REQUIRE(again.left_open.size() == 10);
    CHECK(again.left_open[3]["id"] == "67");
}

TEST_CASE("a large journal of an earlier run is rotated at the first entry", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    {
        std::ofstream file(path);
        for (int number = 0; number < 17; ++number) {
            json entry = numbered_share(number);
            entry["pad"] = std::string(1 << 10, 'x');
            file << entry.dump() << '\n' << (number == 3 ? "" : reply_to(number).dump() + '\n');
        }
    }
    const std::string old = text_of(path);
    OpenedFile journal(path, kSmall);
    REQUIRE(journal.left_open.size() == 1);
    journal.append(reply_to(3));
    CHECK(text_of(folder.path() / "pool.jsonl.1") == old);
    CHECK(totals_of(path)["shares"] == 17);
    CHECK(totals_of(path)["accepted"] == 17);
    CHECK(fs::file_size(path) < 3'000);
}

TEST_CASE("where the last file cannot be kept, the journal is bounded all the same", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    fs::create_directories(folder.path() / "pool.jsonl.1" / "x");
    fs::create_directories(folder.path() / "pool.jsonl.2" / "x");
    OpenedFile journal(path, kSmall);
    journal.append(numbered_share(-1));
    for (int number = 0; number < 100; ++number) {
        journal.append(numbered_share(number));
        journal.append(reply_to(number));
        REQUIRE(fs::file_size(path) < kSmall.file + 1'000);
    }
    CHECK(totals_of(path)["shares"] == 101);
    CHECK(contains(text_of(path), "\"id\":\"-1\""));
}

TEST_CASE("a journal that cannot be rotated stops growing", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    fs::create_directories(folder.path() / "pool.jsonl.new" / "x");
    OpenedFile journal(path, kSmall);
    std::string message;
    for (int number = 0; number < 1'000 && message.empty(); ++number) {
        json entry = numbered_share(number);
        entry["pad"] = std::string(200, 'x');
        message = input_error([&] { journal.append(entry); });
    }
    CHECK(contains(message, "the journal is full"));
    CHECK(is_plain_sentence(message));
    CHECK(fs::file_size(path) < 5 * kSmall.file);
}

TEST_CASE("a file with more open entries than its limit is not rotated at each of them", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    OpenedFile journal(path, kSmall);
    int rotations = 0;
    ino_t last = 0;
    for (int number = 0; number < 200; ++number) {
        json entry = numbered_share(number);
        entry["pad"] = std::string(200, 'x');
        journal.append(entry);
        struct stat status {};
        REQUIRE(stat(path.c_str(), &status) == 0);
        if (status.st_ino != last) ++rotations;
        last = status.st_ino;
    }
    CHECK(rotations < 10);  // each time it has doubled
    CHECK(OpenedFile(path).file.path() != path);
}

TEST_CASE("a long journal costs time in proportion, and little memory", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    {
        std::ofstream file(path);
        std::string piece;
        for (int line = 0; line < 100'000; ++line) piece += "{}\n";
        for (int i = 0; i < 35; ++i) file << piece;  // 10 MiB
        file << numbered_share(1).dump() << '\n';
    }
    const OpenedFile journal(path);
    REQUIRE(journal.left_open.size() == 1);
    CHECK(journal.left_open[0]["id"] == "1");
    // A stop ends it.
    std::stop_source stop;
    stop.request_stop();
    net::JournalFile stopped(path);
    CHECK(stopped.open(stop.get_token()).empty());
}
