// Options and times of the pool client.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/block/header.hpp"
#include "net/journal/journal.hpp"
#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

/// Time limits and intervals, and the seed of random choices. Tests choose others.
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

struct PoolLogin {
    Endpoint url;
    std::string user;
    std::string password = "x";
};

struct PoolOptions {
    const Algorithm* algorithm = &kSha256d;  ///< also says which dialect of Stratum the pools speak
    std::vector<PoolLogin> pools;            ///< the first is used whenever it can be; at least one
    std::optional<ProxyUrl> proxy;
    TlsOptions tls;
    std::optional<unsigned> retries;           ///< attempts after one that failed, over all pools; empty: for ever
    double retry_pause = 5;                    ///< seconds before the second attempt; doubles up to a minute, jittered
    bool redirect = true;                      ///< follow client.reconnect
    std::optional<double> suggest_difficulty;  ///< empty: from the measured rate
    std::optional<double> advertised_rate;     ///< told to V2 pools, hashes per second; empty: the measured one
    unsigned channels = 1;                     ///< on a connection to a V2 pool
    std::optional<std::uint64_t> shares;       ///< enough when so many are accepted
    std::optional<std::uint64_t> blocks;       ///< enough when accepted ones solved so many blocks
    bool single_submit = false;                ///< one share in flight at a time
    bool tell_shares = true;                   ///< a line for each one accepted, not for those that solve a block alone
    std::filesystem::path journal;             ///< empty: there is no folder for it
    bool journal_required = true;              ///< false: mining goes on where it cannot be opened
    std::string agent;                         ///< "gpuminer/0.1.0"
};

}  // namespace gpuminer::net
