// The options of the solo client, and the nodes that they name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "net/bitcoin/chain.hpp"
#include "net/node/url.hpp"

namespace gpuminer::net {

struct SoloOptions {
    /// "http://[user:pass@]host:port[/path]", https too (btcd); without a scheme http. The first that answers gives the
    /// templates, all get the blocks. Empty: found from datadir and chain.
    std::vector<std::string> nodes;
    std::string cookie_file;        ///< empty: none given
    std::filesystem::path datadir;  ///< Bitcoin Core's; empty: ~/.bitcoin
    std::string chain;              ///< of GPUMINER_CHAIN_NAMES; empty: the node's
    std::string ca_file;            ///< --cert: PEM, for https
    bool insecure = false;          ///< https without verifying
    std::string coinbase_address;
    std::string coinbase_signature;        ///< text in the coinbase; empty: none
    std::optional<double> max_difficulty;  ///< --max-diff: mine only templates at most this difficult
    std::optional<std::uint64_t> blocks;   ///< enough when so many are accepted
    std::optional<unsigned> retries;       ///< empty: for ever
    double retry_pause = 5;                ///< seconds
    std::filesystem::path journal;         ///< empty: there is no folder for it
    bool journal_required = true;          ///< false: mining goes on where it cannot be opened
};

/// The nodes that the user named, or the one that was found on this computer.
struct SoloNodes {
    std::optional<Chain> chain;      ///< as the user or bitcoin.conf named it; empty: the first node's
    std::vector<NodeAccess> access;  ///< at least one
    std::vector<std::string> warnings;
};
/// Reads the files that the options name, but the journal and cookies. Throws InputError for a URL, a chain or files
/// that make no sense.
[[nodiscard]] SoloNodes find_nodes(const SoloOptions& options);

}  // namespace gpuminer::net
