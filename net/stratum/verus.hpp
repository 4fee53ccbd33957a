// Verus' dialect of Stratum: the parameters of mining.notify, and jobs made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <nlohmann/json_fwd.hpp>

#include "host/block/digest.hpp"
#include "net/stratum/job.hpp"
#include "verushash/block.hpp"

namespace gpuminer::net {

struct VerusNotify final : StratumNotify {
    /// With all that the pool gave in its place; the field nonce and the last 15 bytes are zero.
    verushash::Header header;

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

/// [job, version, previous hash, merkle root, Sapling root, time, nBits, clean, solution]: bytes in hex, in the order
/// that they have in a header. At the solution's end pools leave out what is zero. Source: the pool's own code,
/// github.com/hellcatz/node-stratum-pool, lib/blockTemplate.js. Throws ProtocolError naming the parameter that is
/// wrong.
[[nodiscard]] VerusNotify parse_verus_notify(const nlohmann::json& params);

/// Bytes: so that three of extranonce2 are left behind it (below), which make 2^24 headers of 2^32 hashes.
inline constexpr std::size_t kLongestVerusExtranonce1 = 8;

/// Of the 15 bytes that a solution leaves to the search the first four are the nonce; then come extranonce1, which
/// pools look for there, and the beginning of extranonce2. Together extranonce1 and extranonce2 are also the header's
/// field nonce, as pools wanted it before solutions of version 7.
///
/// From version 7 on several chains are mined together: what is a header's own, and the pool does not tell all of it,
/// is zero in what is hashed. The share has the roots in the solution as the pool gave them. The time is always the
/// pool's, which takes no other.
class VerusPoolJob final : public StratumJob {
public:
    /// As StratumJob(); extranonce1 of 0 to 8 bytes, together with extranonce2 32.
    VerusPoolJob(std::shared_ptr<const VerusNotify> notify, JobParameters parameters,
                 const StratumJob* continues = nullptr);

private:
    [[nodiscard]] BlockHeader make_header(std::uint64_t number) const override;
    /// Those whose extranonce2 differs in what the solution has of it.
    [[nodiscard]] bool is_due(std::uint64_t number) const override;
    [[nodiscard]] Bytes extranonce2_of(std::uint64_t number) const override;
    void complete(StratumShare& share, const BlockHeader& found) const override;

    const std::shared_ptr<const VerusNotify> notify_;
    const bool shared_;  ///< with other chains
};

}  // namespace gpuminer::net
