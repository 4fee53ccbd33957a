// The journal's file on Windows, where one that somebody has open cannot be replaced.
#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/journal/file.hpp"
#include "net/journal/history.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"

using namespace gpuminer;
using gpuminer::net::JournalFile;
using gpuminer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// Answered at once, so that none is open when the file is rotated.
std::string share(std::uint64_t number) {
    return fmt::format(
        "{{\"event\":\"share\",\"id\":\"{0}\"}}\n{{\"event\":\"reply\",\"share\":\"{0}\",\"accepted\":true}}\n",
        number);
}

std::uint64_t shares_in(const fs::path& journal) {
    net::JournalHistory history("sha256d");
    for (const std::vector<fs::path>& files : net::journal_files(journal)) read_history(files, history);
    std::uint64_t shares = history.earlier().shares;
    for (const net::PoolDay& day : history.days()) shares += day.counts.shares;
    return shares;
}

}  // namespace

TEST_CASE("a journal that somebody has open while it is to be rotated keeps its history", "[journal]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "pool.jsonl";
    const auto aside = [&](int age) { return fs::path(path) += fmt::format(".{}", age); };
    folder.write("pool.jsonl.1", "");
    folder.write("pool.jsonl.2", "the oldest but one");
    JournalFile file(path, {.file = 1'000, .kept = 3});
    (void)file.open({});
    std::uint64_t number = 0;
    const auto append_until = [&](std::size_t size) {
        while (fs::file_size(path) <= size) file.append(share(++number));
    };
    append_until(1'000);
    const HANDLE scanner =
        CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr);
    REQUIRE(scanner != INVALID_HANDLE_VALUE);
    append_until(2'200);  // two attempts
    CHECK(fs::equivalent(path, aside(1)));
    CHECK(content_of(aside(2)).empty());
    CHECK(content_of(aside(3)) == "the oldest but one");
    CHECK(net::journal_files(path) == std::vector<std::vector<fs::path>>{{aside(3), aside(2), path}});
    CHECK(shares_in(path) == number);
    CloseHandle(scanner);
    const std::uintmax_t size = fs::file_size(path);
    while (fs::file_size(path) >= size) file.append(share(++number));
    CHECK(fs::file_size(aside(1)) >= size);
    CHECK_FALSE(fs::equivalent(path, aside(1)));
    CHECK(content_of(aside(3)) == "the oldest but one");
    CHECK(shares_in(path) == number);
}
