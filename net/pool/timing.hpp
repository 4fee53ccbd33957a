// Time limits and intervals of the pool client, and the seed of its random choices. Tests choose others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/journal/journal.hpp"

namespace gpuminer::net {

struct PoolTiming {
    /// Nothing received for so long: the connection is dead. The first where the pool owes an answer; else the second,
    /// as some pools send only when there is a new block (and TCP itself notices a host that is gone).
    std::chrono::milliseconds wait_for_answer{180'000};
    std::chrono::milliseconds wait_for_traffic{900'000};
    std::chrono::milliseconds name_silence{5'000};         ///< of a server that has not said anything yet
    std::chrono::milliseconds retry_better_pool{300'000};  ///< between attempts at the pools before the one in use
    std::chrono::milliseconds wait_for_rate{2'000};        ///< for the devices' rate, before the first connection
    std::chrono::milliseconds wait_for_reply{30'000};      ///< to one share before the next (--single-submit)
    /// After a connection that was logged in for at least so long, the next one begins without a pause.
    std::chrono::milliseconds trust_after{10'000};
    std::chrono::milliseconds tick_every{1'000};
    JournalTiming journal;
    std::optional<std::uint64_t> seed;  ///< of pauses and extranonces; empty: one that nobody knows
};

}  // namespace gpuminer::net
