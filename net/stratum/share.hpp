// A share, as it goes over the wire and into the journal, and a pool's reply to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/block/hash256.hpp"
#include "net/submit_verdict.hpp"

namespace gpuminer::net {

struct StratumShare {
    std::string job_id;
    std::string extranonce2;  ///< hex
    std::uint32_t time = 0;   ///< of the header that was hashed
    std::uint32_t nonce = 0;
    std::uint32_t version_bits = 0;  ///< header XOR job version
    std::string extranonce1;         ///< hex; tells whether the share belongs to a (resumed) session
    Hash256 hash;
    double difficulty = 0;      ///< that the job asked for
    bool solves_block = false;  ///< its hash meets the target of the header's own nBits
};

struct ShareReply {
    SubmitVerdict verdict = SubmitVerdict::kRejected;
    bool duplicate = false;            ///< rejected: the pool has the share already
    std::optional<std::int64_t> code;  ///< of the pool's error: 20 other, 21 stale, 22 duplicate, 23 low difficulty, …
    std::string reason;                ///< printable, "Above target (23)"; empty: accepted
};

}  // namespace gpuminer::net
