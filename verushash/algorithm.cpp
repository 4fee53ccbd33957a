#include "verushash/algorithm.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>

#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "verushash/example.hpp"
#include "verushash/hash.hpp"

namespace gpuminer {
namespace verushash {
namespace {

std::uint64_t next_serial_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Header header_of(const BlockHeader& header) { return parse_header(header.bytes); }

Digest digest_of(const BlockHeader& header) {
    Header own;
    std::ranges::copy(header.bytes, own.bytes.begin());
    return hash_header(own);
}

std::vector<KnownScan> known_scans() {
    constexpr std::uint32_t kAllOnes = 0xffffffff;
    BlockHeader header(kVerusHash), merged(kVerusHash);
    std::ranges::copy(example_header().bytes, header.bytes.begin());
    std::ranges::copy(merged_example_header().bytes, merged.bytes.begin());
    const std::vector<std::uint32_t> version{kBlockVersion};
    const auto top = [](const BlockHeader& of, std::uint32_t nonce) {
        return display_order(digest_of(of.with_nonce(nonce))).top_word();
    };
    // Fewer nonces than are under way at once, more, and those at both ends. (The checker takes its time for each.)
    return {
        {"one nonce", header, version, kAllOnes, {0x7fffffff, 1}},
        {"first nonces", header, version, kAllOnes, {0, 7}},
        {"last nonces", header, version, 0x7fffffff, {kAllOnes - 36, 37}},
        {"canonical form", merged, version, 0x7fffffff, {1'000'000, 7}},
        {"target at equality", header, version, top(header, 3'000'005), {3'000'000, 12}},
        {"target below equality", header, version, top(header, 3'000'005) - 1, {3'000'000, 12}},
    };
}

std::span<const EmbeddedBlock> embedded_headers() {
    static const std::string digits = to_hex(example_header().bytes);
    static const std::array<EmbeddedBlock, 1> blocks{
        {{kExampleName, "not a real block: a constructed header with an easy target", digits.c_str()}}};
    return blocks;
}

}  // namespace

VerusJob::VerusJob(const Header& header, std::span<const std::uint32_t> versions, std::uint32_t target_top)
    : ScanJob(versions, target_top), header_(header), serial_number_(next_serial_number()) {
    if (versions.size() != 1 || versions.front() != header.version())
        throw std::invalid_argument("a job of VerusHash is for its header's version alone");
}

}  // namespace verushash

const Algorithm kVerusHash{
    .name = "verushash",
    .layout = {.size = verushash::kHeaderBytes,
               .version = 0,
               .previous_hash = 4,
               .merkle_root = 36,
               .time = 100,
               .nbits = 104,
               .nonce = verushash::kHeaderBytes - 15},
    .size_without_nonce = 0,
    .header_text = "2974 hex digits (1487 bytes)",
    .command_for_header = "verus getblockheader HASH false",
    .rolls_versions = false,
    .embedded_job = verushash::kExampleName,
    .require_valid = [](const BlockHeader& header) { (void)verushash::header_of(header); },
    .hash = [](const BlockHeader& header) { return display_order(verushash::digest_of(header)); },
    .make_job = [](const BlockHeader& header, std::span<const std::uint32_t> versions,
                   std::uint32_t target_top) -> std::unique_ptr<const ScanJob> {
        return std::make_unique<verushash::VerusJob>(verushash::header_of(header), versions, target_top);
    },
    .known_scans = verushash::known_scans,
    .embedded_blocks = verushash::embedded_headers,
};

}  // namespace gpuminer
