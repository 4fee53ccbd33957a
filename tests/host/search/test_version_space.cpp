// Tests of the versions that a search rolls through.
#include "host/search/version_space.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace gpuminer;

TEST_CASE("versions are the subsets of the mask over the header's other bits, ascending") {
    const VersionSpace fixed(0x12345678, 0, 8);
    CHECK(fixed.size() == 1);
    CHECK(fixed.groups() == 1);
    CHECK(fixed.group(0) == std::vector<std::uint32_t>{0x12345678});

    const VersionSpace rolled(0x2000e005, 0x0000a001, 8);
    CHECK(rolled.group(0) == std::vector<std::uint32_t>{0x20004004, 0x20004005, 0x20006004, 0x20006005, 0x2000c004,
                                                        0x2000c005, 0x2000e004, 0x2000e005});

    const VersionSpace bip320(0x20000000, 0x1fffe000, 8);
    CHECK(bip320.size() == 65536);
    CHECK(bip320.groups() == 8192);
    CHECK(bip320.version(65535) == 0x3fffe000);
    for (std::uint64_t i = 1; i < bip320.size(); ++i) REQUIRE(bip320.version(i) > bip320.version(i - 1));
    CHECK(bip320.group(8191).back() == 0x3fffe000);

    const VersionSpace bip323(0x20000000, 0x1fffffe0, 8);
    CHECK(bip323.size() == 1U << 24);
    CHECK(bip323.groups() == 1U << 21);
    CHECK(bip323.version(1) == 0x20000020);
    CHECK(bip323.version((1U << 24) - 1) == 0x3fffffe0);
    CHECK(bip323.index_of(0x20000020) == 1);
    CHECK_FALSE(bip323.index_of(0x20000010));

    const VersionSpace one_by_one(0, 0xffffffff, 1);
    CHECK(one_by_one.groups() == std::uint64_t{1} << 32);
    CHECK(one_by_one.version(0xdeadbeef) == 0xdeadbeef);
}
