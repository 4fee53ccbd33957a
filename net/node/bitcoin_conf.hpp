// Bitcoin Core's data folder and bitcoin.conf: the node that runs on this computer.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/bitcoin/chain.hpp"
#include "net/node/url.hpp"

namespace gpuminer::net {

/// bitcoin.conf: "name=value" lines, '#' comments, [main] [test] [testnet4] [testnet5] [signet] [regtest] sections. The
/// first value of a name is the one that counts, a chain's section comes before what stands outside of any.
class BitcoinConf {
public:
    /// Never fails: lines that make no sense are Bitcoin Core's to complain of.
    explicit BitcoinConf(const std::string& text);

    /// What a file gives that this one includes; values that are there already come first.
    void add(const BitcoinConf& included);
    /// The files that its own includeconf lines name on this chain, in the order in which Core reads them.
    [[nodiscard]] std::vector<std::string> includes(Chain chain) const;

    /// As Bitcoin Core would read it on this chain. "rpcport" outside of sections is for the main network alone.
    [[nodiscard]] std::optional<std::string> value(const std::string& name, Chain chain) const;
    /// From "chain=", "testnet=1", …; the main network where nothing is said.
    [[nodiscard]] Chain chain() const;

private:
    std::map<std::string, std::map<std::string, std::string>> sections_;  ///< "" is what stands outside of any
    std::map<std::string, std::vector<std::string>> includes_;            ///< of each section
};

struct LocalNode {
    NodeAccess access;
    Chain chain = Chain::kMain;
    std::vector<std::string> warnings;
};

/// `datadir`: empty for bitcoin_folder(). `chain`: empty for that of bitcoin.conf. Throws InputError where there is no
/// such folder, or its bitcoin.conf or a file that this includes (includeconf, relative to `datadir`) cannot be read.
[[nodiscard]] LocalNode find_local_node(std::filesystem::path datadir, std::optional<Chain> chain);

/// Where Bitcoin Core listens for JSON-RPC; btcd's port for simnet.
[[nodiscard]] std::uint16_t default_rpc_port(Chain chain);

}  // namespace gpuminer::net
