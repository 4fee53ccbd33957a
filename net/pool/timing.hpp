// How long the pool client waits for what; tests are in more of a hurry than pools.
#pragma once

#include <chrono>
#include <memory>

#include "net/pool/client.hpp"

namespace gpuminer::net {

struct PoolTiming {
    /// Nothing received for so long: the connection is dead. The first where the pool owes an answer; else the second,
    /// as some pools speak only when there is a new block (and TCP itself notices a host that is gone).
    std::chrono::milliseconds silence{180'000};
    std::chrono::milliseconds long_silence{900'000};
    std::chrono::milliseconds better_pool{300'000};   ///< between attempts at the pools before the one in use
    std::chrono::milliseconds rate_known{2'000};      ///< wait for the devices' rate before the first connection
    std::chrono::milliseconds single_submit{30'000};  ///< wait for the reply to one share before the next
    std::chrono::milliseconds long_session{10'000};   ///< after a session of this length, the next one begins at once
    std::chrono::milliseconds tick{1'000};
};

[[nodiscard]] std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks,
                                                           const PoolTiming& timing);

}  // namespace gpuminer::net
