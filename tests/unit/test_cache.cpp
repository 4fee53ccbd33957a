// The folder in which the program remembers compiled kernels and timings.
#include <fstream>

#include "cache_folder.hpp"
#include "host/cache.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using gpuminer::test::Environment;

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
