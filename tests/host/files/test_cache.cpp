// The folder in which the program remembers compiled kernels and timings.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "cache_folder.hpp"
#include "host/files/cache.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using gpuminer::test::Environment;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kAnotherUser = 65534;

struct Surprise {
    const char* what;
    std::function<void(const fs::path&)> put;  ///< at this path, where there is nothing
};

/// What others may put in place of a file. A program that waits or reads for ever would be ended by the test's limit.
const Surprise kSurprises[] = {
    {"a pipe", [](const fs::path& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }},
    {"a folder", [](const fs::path& path) { fs::create_directory(path); }},
    {"a device", [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }},
    {"a huge file",
     [](const fs::path& path) {
         std::ofstream(path) << "key\n";
         fs::resize_file(path, std::uintmax_t{1} << 40);
     }},
};

}  // namespace

TEST_CASE("the cache gives back what was written, for the same key only") {
    const test::CacheFolder cache;
    CHECK_FALSE(read_cache("kind", "key"));
    write_cache("kind", "key", std::string("a\0b\n", 4));
    CHECK(read_cache("kind", "key") == std::string("a\0b\n", 4));
    CHECK_FALSE(read_cache("kind", "another key"));
    CHECK_FALSE(read_cache("other", "key"));
    write_cache("kind", "two\nlines", "x");
    CHECK(read_cache("kind", "two\nlines") == "x");

    SECTION("a file that was cut short, or is somebody else's, is not taken") {
        const auto path = *cache_file("kind", "key");
        const auto contents = {"", "key", "key\n", "key\n4\n", "key\n4\na", "yek\n1\na", "key\nx\na"};
        for (const char* const content : contents) {
            std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
            INFO(content);
            CHECK_FALSE(read_cache("kind", "key"));
        }
    }
}

TEST_CASE("what is no file of the cache is passed over") {
    const test::CacheFolder cache;
    write_cache("kind", "key", "content");
    const fs::path path = *cache_file("kind", "key"), beside = path.string() + ".new";
    for (const Surprise& surprise : kSurprises) {
        INFO(surprise.what);
        fs::remove(path);
        surprise.put(path);
        CHECK_FALSE(read_cache("kind", "key"));
        fs::remove_all(path);

        surprise.put(beside);
        write_cache("kind", "key", "content");
        CHECK(read_cache("kind", "key") == "content");
        CHECK_FALSE(fs::exists(fs::symlink_status(beside)));
    }
}

TEST_CASE("the cache writes through no symbolic link") {
    const test::CacheFolder cache;
    cache.folder.write("victim", "victim's");
    write_cache("kind", "key", "content");
    const fs::path path = *cache_file("kind", "key"), victim = cache.folder.path() / "victim";
    for (const fs::path& name : {path, fs::path(path.string() + ".new")}) {
        fs::remove(name);
        fs::create_symlink(victim, name);
        write_cache("kind", "key", "content");
        CHECK(fs::file_size(victim) == 8);
        CHECK(read_cache("kind", "key") == "content");
    }
    fs::remove(victim);
    fs::rename(path, victim);
    fs::create_symlink(victim, path);
    CHECK_FALSE(read_cache("kind", "key"));
}

TEST_CASE("what another user can have written is not taken from the cache") {
    const test::CacheFolder cache;
    write_cache("kind", "key", "content");
    const fs::path path = *cache_file("kind", "key"), folder = path.parent_path();

    SECTION("as the file's mode says") {
        for (const mode_t mode : {0660U, 0606U}) {
            REQUIRE(::chmod(path.c_str(), mode) == 0);
            CHECK_FALSE(read_cache("kind", "key"));
            write_cache("kind", "key", "again");
            CHECK(read_cache("kind", "key") == "again");
        }
    }
    SECTION("as the folder's mode says, which writing mends") {
        for (const mode_t mode : {0770U, 01777U}) {
            REQUIRE(::chmod(folder.c_str(), mode) == 0);
            CHECK_FALSE(read_cache("kind", "key"));
            write_cache("kind", "key", "again");
            CHECK((fs::status(folder).permissions() & (fs::perms::group_write | fs::perms::others_write)) ==
                  fs::perms::none);
            CHECK(read_cache("kind", "key") == "again");
        }
    }
    SECTION("as its owner, the folder's or that of a link to the folder says") {
        if (::geteuid() != 0) {
            WARN("SKIPPED: only root can give files to others");
            return;
        }
        fs::path given = path;
        SECTION("the file's") {}
        SECTION("the folder's") { given = folder; }
        SECTION("the link's") {
            fs::rename(folder, cache.folder.path() / "mine");
            fs::create_directory_symlink("mine", folder);
            CHECK(read_cache("kind", "key") == "content");  // one's own link is fine
            given = folder;
        }
        REQUIRE(::lchown(given.c_str(), kAnotherUser, static_cast<gid_t>(-1)) == 0);
        CHECK_FALSE(read_cache("kind", "key"));
        write_cache("kind", "key", "again");
        CHECK(read_cache("kind", "key").value_or("") == (given == path ? "again" : ""));
    }
}

TEST_CASE("without a place for a cache nothing is cached, and nothing fails") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "not a folder";
    const std::string blocked = (folder.path() / "file").string();
    for (const char* const cache : {blocked.c_str(), "relative/path", ""}) {
        const Environment xdg("XDG_CACHE_HOME", cache);
        const Environment home("HOME", nullptr);
        write_cache("kind", "key", "content");
        CHECK_FALSE(read_cache("kind", "key"));
    }
    const Environment xdg("XDG_CACHE_HOME", nullptr);
    const Environment home("HOME", folder.path().c_str());
    CHECK(cache_file("kind", "key")->parent_path() == folder.path() / ".cache" / "gpuminer");
}
