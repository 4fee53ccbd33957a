// The options of the client for pools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/block/header.hpp"
#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

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
    std::optional<std::uint64_t> shares;       ///< enough when so many are accepted
    std::optional<std::uint64_t> blocks;       ///< enough when accepted ones solved so many blocks
    bool single_submit = false;                ///< one share in flight at a time
    bool tell_shares = true;                   ///< a line for each one accepted, not for those that solve a block alone
    std::filesystem::path journal;             ///< empty: there is no folder for it
    bool journal_required = true;              ///< false: mining goes on where it cannot be opened
    std::string agent;                         ///< "gpuminer/0.1.0"
};

}  // namespace gpuminer::net
