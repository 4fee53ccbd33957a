// SHA-256d, Bitcoin's algorithm.
#include <string_view>

#include "host/block/algorithm.hpp"
#include "host/block/checker.hpp"
#include "kernel/sha256d_job.hpp"

namespace gpuminer {
namespace {

// Bitcoin block 100000, https://mempool.space/block/000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506
constexpr std::string_view kBlock =
    "0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd00200000000006657a9252aacd5c0b2940996ecff952228c3067c"
    "c38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710";
constexpr std::uint32_t kBlockNonce = 274148111;
constexpr std::uint32_t kBlockVersion = 1;
constexpr std::uint32_t kBlockTop = 0;  ///< its target's top word
constexpr std::uint32_t kAllOnes = 0xffffffff;

std::vector<KnownScan> known_scans() {
    const BlockHeader block = parse_header_hex(kBlock).header;
    const std::vector<std::uint32_t> fixed{kBlockVersion};
    // Odd sizes and positions, so that the block is found in a lane and a vector that are neither first nor last.
    const std::vector<std::uint32_t> three{0x20000000, 0x3fffe000, kBlockVersion};
    const std::vector<std::uint32_t> eight{0x20000000, 0x20002000, 0x20004000,    0x20006000,
                                           0x20008000, 0xffffffff, kBlockVersion, 0};
    std::vector<KnownScan> scans{
        {"block 100000", block, fixed, kBlockTop, {kBlockNonce - 501, 1007}},
        {"block 100000 as the last nonce", block, fixed, kBlockTop, {kBlockNonce - 20, 21}},
        {"block 100000 out of reach", block, fixed, kBlockTop, {kBlockNonce - 100, 100}},
        {"block 100000 among three versions", block, three, kBlockTop, {kBlockNonce - 30, 37}},
        {"block 100000 among eight versions", block, eight, kBlockTop, {kBlockNonce - 90, 101}},
        {"first nonces", block, fixed, kAllOnes, {0, 17}},
        {"last nonces", block, fixed, kAllOnes, {0xffffffff - 30, 31}},
        {"last nonces, rolled", block, three, kAllOnes, {0xffffffff - 16, 17}},
    };
    // Counts round the usual vector widths, over the nonces where a signed counter would turn negative.
    for (const std::uint64_t count : {1, 15, 16, 17, 31, 37})
        scans.push_back({"every nonce", block, fixed, kAllOnes, {0x7ffffff9, count}});
    // Half of the nonces pass, on both sides of the value where a signed comparison turns over.
    scans.push_back({"target 7fffffff", block, fixed, 0x7fffffff, {1'000'000, 67}});
    scans.push_back({"target 80000000", block, fixed, 0x80000000, {2'000'001, 67}});
    // A target equal to a nonce's own top word admits it; one below does not.
    const std::uint32_t top = double_sha256(block.with_nonce(3'000'005).bytes).top_word();
    scans.push_back({"target at equality", block, eight, top, {3'000'000, 33}});
    scans.push_back({"target below equality", block, fixed, top - 1, {3'000'000, 33}});
    return scans;
}

}  // namespace

const Algorithm kSha256d{
    .name = "sha256d",
    // https://developer.bitcoin.org/reference/block_chain.html#block-headers
    .layout = {.size = 80, .version = 0, .previous_hash = 4, .merkle_root = 36, .time = 68, .nbits = 72, .nonce = 76},
    .size_without_nonce = 76,
    .header_text = "152 or 160 hex digits (76 or 80 bytes)",
    .command_for_header = "bitcoin-cli getblockheader HASH false",
    .rolls_versions = true,
    .embedded_job = "100000",
    .require_valid = [](const BlockHeader&) {},
    .hash = [](const BlockHeader& header) { return double_sha256(header.bytes); },
    .make_job = [](const BlockHeader& header, std::span<const std::uint32_t> versions, std::uint32_t target_top)
        -> std::unique_ptr<const ScanJob> { return std::make_unique<Sha256dJob>(header.bytes, versions, target_top); },
    .known_scans = known_scans,
    .embedded_blocks = embedded_blocks,
};

}  // namespace gpuminer
