// Parameters of mining.notify, in any dialect.
#pragma once

#include <cstdint>
#include <string>

#include "host/block/digest.hpp"

namespace gpuminer::net {

struct StratumNotify {
    std::string id;
    Digest previous_hash{};  ///< as in the header
    std::uint32_t version = 0;
    std::uint32_t nbits = 0;
    std::uint32_t time = 0;
    bool clean = false;  ///< shares of older jobs are stale
    // Sentences about what is unusual and has been passed over; empty: nothing.
    std::string odd_flag;
    std::string surplus;  ///< parameters that nobody knows

    virtual ~StratumNotify() = default;
    /// The same headers come from both: all but the id and the clean flag is equal.
    [[nodiscard]] virtual bool same_work(const StratumNotify& other) const = 0;

protected:
    StratumNotify() = default;
    StratumNotify(const StratumNotify&) = default;
    StratumNotify& operator=(const StratumNotify&) = default;

    [[nodiscard]] bool same_fields(const StratumNotify& other) const {
        return previous_hash == other.previous_hash && version == other.version && nbits == other.nbits &&
               time == other.time;
    }
};

}  // namespace gpuminer::net
