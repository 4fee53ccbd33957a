#include "bench/workloads/test_block.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "host/block/checker.hpp"

namespace gpuminer::bench {

BlockHeader block_100000() {
    for (const EmbeddedBlock& block : embedded_blocks()) {
        if (std::string_view(block.name) == "100000") return parse_header_hex(block.header_hex).header;
    }
    throw std::logic_error("the program carries no block 100000");
}

std::vector<std::uint32_t> versions_of_block(unsigned count) {
    constexpr unsigned kLowestRolledBit = 13;
    std::vector<std::uint32_t> versions;
    for (unsigned i = 0; i < count; ++i) versions.push_back(block_100000().version() ^ (i << kLowestRolledBit));
    return versions;
}

NonceRange verified_range() {
    constexpr std::uint32_t kBefore = 1003;
    return {block_100000().nonce() - kBefore, std::uint64_t{2} * kBefore};
}

std::vector<std::uint32_t> expected_nonces(unsigned version_index) {
    const BlockHeader header = block_100000().with_version(versions_of_block(version_index + 1).back());
    const NonceRange range = verified_range();
    std::vector<std::uint32_t> nonces;
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const BlockHeader tried = header.with_nonce(range.first + static_cast<std::uint32_t>(i));
        if (double_sha256(tried.bytes).top_word() <= kSievedTop) nonces.push_back(tried.nonce());
    }
    return nonces;
}

bool finds_the_block(const cpu::Isa& isa, unsigned versions) {
    static const auto expected = [] {
        std::array<std::vector<std::uint32_t>, kCheckedVersions> lists;
        for (unsigned i = 0; i < lists.size(); ++i) lists[i] = expected_nonces(i);
        return lists;
    }();
    const Sha256dJob job(block_100000().bytes, versions_of_block(versions), kSievedTop);
    std::vector<Candidate> candidates(verified_range().count * versions);
    const cpu::ScanOutcome outcome = cpu::scan(isa, job, verified_range(), candidates);
    if (outcome.scanned_by != std::string_view(isa.name) || outcome.found > candidates.size()) return false;
    candidates.resize(outcome.found);

    std::vector<std::vector<std::uint32_t>> found(versions);
    for (const Candidate& candidate : candidates) {
        if (candidate.version_index >= versions) return false;
        found[candidate.version_index].push_back(candidate.nonce);
    }
    for (unsigned i = 0; i < std::min(versions, kCheckedVersions); ++i) {
        std::sort(found[i].begin(), found[i].end());
        if (found[i] != expected[i]) return false;
    }
    return true;
}

}  // namespace gpuminer::bench
