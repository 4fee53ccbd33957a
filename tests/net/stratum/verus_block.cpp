#include "tests/net/stratum/verus_block.hpp"

#include <utility>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/text/text.hpp"
#include "verushash/hash.hpp"

namespace gpuminer::test {

VerusBlock::VerusBlock(unsigned solution_version, unsigned chains, std::string compact_target)
    : nbits(std::move(compact_target)) {
    solution = fmt::format("{:02x}000000{:02x}{:02x}0000", solution_version, 0, chains);
    solution += std::string(64, '5') + std::string(64, '6');  // the MMR roots
    for (unsigned chain = 1; chain < chains; ++chain) solution += fmt::format("{:040x}{:064x}", chain, 7 * chain);
    if (chains == 0) return;
    const std::string own_id(40, '9');
    const std::string without_hash = "fd4005" + solution + own_id;
    const verushash::Header header = with(time, without_hash + std::string(2694 - without_hash.size(), '0'), nonce);
    solution += own_id + to_hex(verushash::pre_header_hash(header));
}

nlohmann::json VerusBlock::notify(const std::string& id, bool clean) const {
    std::string trimmed = solution.substr(0, solution.find_last_not_of('0') + 1);
    if (trimmed.size() % 2 != 0) trimmed += "0";
    return {id, version, previous_hash, merkle_root, sapling_root, time, nbits, clean, trimmed};
}

verushash::Header VerusBlock::with(const std::string& share_time, const std::string& sized_solution,
                                   const std::string& field_nonce) const {
    return verushash::parse_header_hex(version + previous_hash + merkle_root + sapling_root + share_time + nbits +
                                       field_nonce + sized_solution);
}

Hash256 verus_hash(const verushash::Header& header) { return display_order(verushash::hash_header(header)); }

}  // namespace gpuminer::test
