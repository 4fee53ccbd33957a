// A share, as it goes over the wire and into the journal, and a pool's reply to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/block/hash256.hpp"
#include "host/search/version_space.hpp"
#include "net/submit_verdict.hpp"

namespace gpuminer::net {

/// How version bits are submitted (mining.submit's sixth parameter). Servers compute the header's version from the
/// job's and these in several ways, which differ where the job's version has bits inside the pool's mask.
enum class VersionBits {
    kMasked,   ///< the header's bits inside the mask, as BIP 310 says; suits servers that OR them to the job's, too
    kChanged,  ///< those in which the header differs from the job, for servers that XOR them
    kNone,     ///< none, and no version is rolled
};

/// The version bits that pools are asked for (mining.configure), which all that know version rolling know.
inline constexpr std::uint32_t kAskedVersionBits = kBip320Mask;

/// What a pool's server takes of the version bits that it grants.
struct VersionRolling {
    VersionBits form = VersionBits::kMasked;
    std::uint32_t within = 0xffffffff;  ///< rolled are: all of them, or kAskedVersionBits
};

struct StratumShare {
    std::string job_id;
    std::string extranonce2;  ///< hex
    std::uint32_t time = 0;   ///< of the header that was hashed
    std::uint32_t nonce = 0;
    std::uint32_t version_bits = 0;
    VersionBits version_bits_as = VersionBits::kMasked;
    std::string solution;              ///< hex, with its size; empty: the dialect's shares have none
    bool job_has_masked_bits = false;  ///< so that servers may read `version_bits` in different ways
    bool rolls_further_bits = false;   ///< those that pools are not asked for: one may leave them out of the header
    std::string extranonce1;           ///< hex; tells whether the share belongs to a (resumed) session
    Hash256 hash;
    double difficulty = 0;      ///< that the job asked for
    bool solves_block = false;  ///< its hash meets the target of the header's own nBits
    Hash256 previous;           ///< the block before it, in display order, where it solves one
};

struct ShareReply {
    SubmitVerdict verdict = SubmitVerdict::kRejected;
    RefusalKind kind = RefusalKind::kOther;  ///< of a refusal; kLowDifficulty: its hash is above the pool's target
    bool outdated = false;             ///< of low difficulty, by a target that the pool has set since the job came
    std::optional<std::int64_t> code;  ///< of the pool's error: 20 other, 21 stale, 22 duplicate, 23 low difficulty, …
    std::string reason;                ///< printable, "Above target (23)"; empty: accepted
};

}  // namespace gpuminer::net
