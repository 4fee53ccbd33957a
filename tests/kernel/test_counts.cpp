// Counts of operations per nonce, on which the speed of every device rests.
#include "kernel/print.hpp"
#include "kernel/program.hpp"
#include "tests/catch.hpp"

using namespace gpuminer::kernel;

namespace {

std::uint64_t count(const Program& program, std::initializer_list<StageName> stages,
                    std::uint64_t (*operations)(const Stage&)) {
    std::uint64_t total = 0;
    for (const StageName name : stages) total += operations(program.stage(name));
    return total;
}

constexpr auto kPerVersion = {StageName::kHash1, StageName::kHash2};
constexpr auto kPerNonce = {StageName::kNonce};

}  // namespace

// The exact numbers are pinned so that no change of them goes unnoticed. A smaller one is welcome: put it here.
// A larger one is a regression: each operation is about 0.035 % of the fixed search's speed.

TEST_CASE("operations per vector, AVX-512 vocabulary (each verb one instruction)") {
    const Program fixed = make_search_program(1), rolled = make_search_program(8);
    CHECK(count(fixed, kPerVersion, avx512_operations) == 2846);
    CHECK(count(fixed, kPerVersion, avx512_operations) <= 2856);  // promised
    CHECK(count(fixed, kPerNonce, avx512_operations) == 0);
    CHECK(count(rolled, kPerVersion, avx512_operations) == 2386);
    CHECK(count(rolled, kPerVersion, avx512_operations) <= 2395);  // promised
    CHECK(count(rolled, kPerNonce, avx512_operations) == 460);
    CHECK(count(rolled, kPerNonce, avx512_operations) <= 461);  // promised
}

TEST_CASE("operations per vector, AVX2 vocabulary (no rotate, two-operand logic)") {
    const Program fixed = make_search_program(1), rolled = make_search_program(8);
    CHECK(count(fixed, kPerVersion, avx2_operations) == 5750);
    CHECK(count(rolled, kPerVersion, avx2_operations) == 4910);
    CHECK(count(rolled, kPerNonce, avx2_operations) == 840);
}

TEST_CASE("operations per vector, NEON vocabulary (rotations of two instructions, a select)") {
    const Program fixed = make_search_program(1), rolled = make_search_program(8);
    CHECK(count(fixed, kPerVersion, neon_operations) == 4374);
    CHECK(count(rolled, kPerVersion, neon_operations) == 3686);
    CHECK(count(rolled, kPerNonce, neon_operations) == 688);
}

TEST_CASE("the tables of words are small enough to stay in a first-level cache") {
    const Program fixed = make_search_program(1), rolled = make_search_program(8);
    CHECK(fixed.stage(StageName::kJob).exports.size() == 26);
    CHECK(rolled.stage(StageName::kJob).exports.size() == 14);
    CHECK(rolled.stage(StageName::kVersion).exports.size() == 18);
    CHECK(rolled.stage(StageName::kNonce).exports.size() == 46);  // one vector each: 2,944 bytes with AVX-512
}

TEST_CASE("the rolled program is the same for any number of versions, and none is refused") {
    const Program two = make_search_program(2);
    for (const unsigned versions : {3u, 8u, 17u, 65536u}) {
        const Program other = make_search_program(versions);
        for (const StageName name : kStages) {
            CHECK(other.stage(name).code.size() == two.stage(name).code.size());
            CHECK(other.stage(name).exports == two.stage(name).exports);
        }
    }
    CHECK_THROWS_AS(make_search_program(0), std::invalid_argument);
}
