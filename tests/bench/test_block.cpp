// Tests of the workload block: its rows, and that wrong hashes fail it. No speed decides anything here.
#include "bench/workloads/block.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "bench_setting.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::bench;
using gpuminer::test::BenchSetting;
using gpuminer::test::row_named;

namespace {

constexpr double kBlockRound = 2e-5;  // seconds of a round

BlockTransactions small_block(std::size_t count) {
    BlockTransactions block{"a small block", {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
        block.without_witness.emplace_back(10 * i + 1, static_cast<std::uint8_t>(i));
        block.whole.emplace_back(20 * i + 1, static_cast<std::uint8_t>(~i));
    }
    return block;
}

std::atomic<bool> wrong_messages{false};
void messages_wrong_at_times(std::uint8_t* out, std::span<const Message> messages) {
    sha256d_messages(out, messages);
    if (wrong_messages) out[32 * messages.size() - 1] ^= 1;
}
void pairs_wrong(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    sha256d64(out, in, count);
    if (count == 1) out[0] ^= 1;
}

}  // namespace

TEST_CASE("block: the usual one has 2,000 transactions with the percentiles of a real one's sizes") {
    const BlockTransactions block = usual_block();
    REQUIRE(block.without_witness.size() == 2000);
    REQUIRE(block.whole.size() == 2000);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < 2000; ++i) {
        sizes.push_back(block.without_witness[i].size());
        REQUIRE(block.whole[i].size() >= sizes.back());
    }
    std::sort(sizes.begin(), sizes.end());
    CHECK(sizes.front() == 83);
    CHECK(sizes[1000] == 123);
    CHECK(sizes.back() == 958);
    CHECK(block.whole.front() != usual_block().whole[1]);
}

TEST_CASE("block: each kind of hash has a row with parts for one stream and OpenSSL") {
    BenchSetting bench;
    const Rows rows = block_rows(bench.setting, small_block(7));  // 7, 4 and 2 hashes a level: one is odd
    REQUIRE(rows.rows.size() == 3);
    CHECK(rows.job["transactions"] == 7);
    CHECK(rows.text(80).find("a small block.\n") == 0);
    const auto check = [&](const char* name, std::size_t hashes, std::size_t bytes) {
        const Row& row = row_named(rows, name);
        CHECK(row.unit == "ns per hash");
        CHECK(row.better == Better::kLower);
        REQUIRE(row.parts.size() == 2);
        CHECK(row.parts[0].name == std::string(name) + ", 1 stream");
        CHECK(row.parts[1].name == std::string(name) + ", OpenSSL");
        (void)row.measure(kBlockRound);
        CHECK(row.details()["ns_per_byte"].is_null());  // of the warm-up nothing is kept
        const double nanoseconds = row.measure(kBlockRound);
        CHECK(row.details()["hashes"] == hashes);
        CHECK(row.details()["bytes"] == bytes);
        CHECK(row.details()["ns_per_byte"].get<double>() ==
              Approx(nanoseconds * static_cast<double>(hashes) / static_cast<double>(bytes)));
        CHECK(row.details()["gain"].get<double>() == Approx(row.parts[1].value() / nanoseconds));
        CHECK(row.parts[0].details()["gain"].get<double>() == Approx(row.parts[1].value() / row.parts[0].value()));
        CHECK(row.parts[1].details()["gain"].is_null());
    };
    check("txids", 7, 7 + 10 * 21);
    check("wtxids", 7, 7 + 20 * 21);
    check("root", 4 + 2 + 1, 7 * 64);
}

TEST_CASE("block: the root of one transaction is its id, and takes no hash") {
    BenchSetting bench;
    CHECK(block_rows(bench.setting, small_block(1)).rows.size() == 2);
}

TEST_CASE("block: a wrong hash fails the verification, at the beginning and in each round") {
    BenchSetting bench;
    CHECK_THROWS_AS(block_rows(bench.setting, small_block(5), {sha256d_messages, pairs_wrong}), VerificationError);
    wrong_messages = false;
    const Rows rows = block_rows(bench.setting, small_block(5), {messages_wrong_at_times, sha256d64});
    for (const char* const name : {"txids", "wtxids"}) CHECK(row_named(rows, name).measure(kBlockRound) > 0);
    wrong_messages = true;
    for (const char* const name : {"txids", "wtxids"})
        CHECK_THROWS_AS(row_named(rows, name).measure(kBlockRound), VerificationError);
}
