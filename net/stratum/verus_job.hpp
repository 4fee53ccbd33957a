// A pool's job in Verus' dialect: the extranonce goes into the solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/stratum/job.hpp"
#include "net/stratum/verus_notify.hpp"

namespace gpuminer::net {

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
