#include "net/node/bitcoin_conf.hpp"

#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/files/own_file.hpp"
#include "host/system/folders.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

namespace fs = std::filesystem;

bool is_true(const std::string& value) { return value.empty() || std::atoi(value.c_str()) != 0; }

/// The folder below the data folder where a chain's files are.
const char* subfolder(Chain chain) {
    switch (chain) {
        case Chain::kTest: return "testnet3";
        case Chain::kTestnet4: return "testnet4";
        case Chain::kTestnet5: return "testnet5";
        case Chain::kSignet: return "signet";
        case Chain::kRegtest: return "regtest";
        default: return "";
    }
}

fs::path default_datadir() {
    if (auto folder = bitcoin_folder()) return std::move(*folder);
    throw InputError(
        "HOME (on Windows LOCALAPPDATA) names no folder; --datadir names Bitcoin Core's data folder, --node the "
        "address of a node");
}

/// Throws InputError.
std::string file_text(const fs::path& path) {
    constexpr std::size_t kLongestConf = std::size_t{1} << 20;
    FileText file = read_file(path, kLongestConf, FileKind::kRegular);
    if (!file.failure.empty()) {
        throw InputError(fmt::format("cannot read {}: {}", shown_path(path), file.failure));
    }
    return std::move(file.text);
}

/// Empty where there is no such file. Throws InputError where there is one that cannot be read.
std::string text_if_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error) || error ? file_text(path) : "";
}

/// Reads the files that includeconf names, as Core does: those of the chain's section first, and none that an included
/// file names in its turn. Throws InputError.
void read_includes(BitcoinConf& conf, const fs::path& datadir, std::optional<Chain> chain,
                   std::vector<std::string>& warnings) {
    constexpr std::size_t kMostIncludes = 100;
    const Chain named = chain.value_or(conf.chain());
    const std::vector<std::string> files = conf.includes(named);
    if (files.size() > kMostIncludes) {
        throw InputError(
            fmt::format("expected at most {} times includeconf in bitcoin.conf, got {}", kMostIncludes, files.size()));
    }
    for (const std::string& file : files) {
        const BitcoinConf included(file_text(datadir / file));
        conf.add(included);
        if (const auto ignored = included.includes(chain.value_or(conf.chain())); !ignored.empty()) {
            warnings.push_back(fmt::format("includeconf={} is ignored in {}, which bitcoin.conf itself includes",
                                           printable_ascii(ignored.front()), printable_ascii(file)));
        }
    }
}

void set_address(NodeUrl& url, const BitcoinConf& conf, Chain chain) {
    url.host = "127.0.0.1";
    url.port = default_rpc_port(chain);
    if (const auto host = conf.value("rpcconnect", chain)) {
        const NodeUrl given = parse_node_url(*host, url.port);
        url.host = given.host;
        url.port = given.port;
    }
    if (const auto text = conf.value("rpcport", chain)) {
        const auto port = parse_port(*text);
        if (!port) {
            throw InputError(
                fmt::format("expected a port from 1 to 65535 as rpcport in bitcoin.conf, got {}", quoted_text(*text)));
        }
        url.port = *port;
    }
}

}  // namespace

BitcoinConf::BitcoinConf(const std::string& text) {
    std::istringstream lines(text);
    std::string section;
    for (std::string line; std::getline(lines, line);) {
        line = std::string(trimmed(line.substr(0, line.find('#'))));
        if (line.starts_with('[') && line.ends_with(']')) {
            section = line.substr(1, line.size() - 2);
            continue;
        }
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        std::string name(trimmed(line.substr(0, equals)));
        std::string of_section = section;
        if (const auto dot = name.find('.'); dot != std::string::npos && section.empty()) {  // "regtest.rpcport=…"
            of_section = name.substr(0, dot);
            name.erase(0, dot + 1);
        }
        const std::string value(trimmed(line.substr(equals + 1)));
        if (name == "includeconf" && !value.empty()) includes_[of_section].push_back(value);
        sections_[of_section].try_emplace(name, value);
    }
}

void BitcoinConf::add(const BitcoinConf& included) {
    for (const auto& [section, values] : included.sections_) sections_[section].insert(values.begin(), values.end());
}

std::vector<std::string> BitcoinConf::includes(Chain chain) const {
    std::vector<std::string> files;
    for (const std::string& section : {std::string(name_of(chain)), std::string()}) {
        const auto found = includes_.find(section);
        if (found != includes_.end()) files.insert(files.end(), found->second.begin(), found->second.end());
    }
    return files;
}

std::optional<std::string> BitcoinConf::value(const std::string& name, Chain chain) const {
    const auto in = [&](const std::string& section) -> std::optional<std::string> {
        const auto values = sections_.find(section);
        if (values == sections_.end()) return std::nullopt;
        const auto found = values->second.find(name);
        return found == values->second.end() ? std::nullopt : std::optional(found->second);
    };
    if (auto own = in(std::string(name_of(chain)))) return own;
    if (name == "rpcport" && chain != Chain::kMain) return std::nullopt;
    return in("");
}

Chain BitcoinConf::chain() const {
    if (const auto name = value("chain", Chain::kMain)) {
        if (const auto known = chain_from_name(*name)) return *known;
        throw InputError("bitcoin.conf names an unknown chain: " + quoted_text(*name));
    }
    const std::pair<const char*, Chain> switches[] = {{"testnet", Chain::kTest},
                                                      {"testnet4", Chain::kTestnet4},
                                                      {"testnet5", Chain::kTestnet5},
                                                      {"signet", Chain::kSignet},
                                                      {"regtest", Chain::kRegtest}};
    for (const auto& [name, chain] : switches) {
        const auto given = value(name, Chain::kMain);
        if (given && is_true(*given)) return chain;
    }
    return Chain::kMain;
}

LocalNode find_local_node(fs::path datadir, std::optional<Chain> chain) {
    if (chain == Chain::kSimnet) {
        throw InputError("simnet is btcd's network, which has no bitcoin.conf: name the node with --node");
    }
    if (datadir.empty()) datadir = default_datadir();
    std::error_code error;
    if (!fs::is_directory(datadir, error)) {
        throw InputError(fmt::format(
            "Bitcoin Core's data folder {} does not exist; --datadir names another one, --node the address of a node",
            shown_path(datadir)));
    }
    BitcoinConf conf(text_if_there(datadir / "bitcoin.conf"));
    LocalNode node;
    read_includes(conf, datadir, chain, node.warnings);
    node.chain = chain.value_or(conf.chain());
    const auto path = [&](const char* name, const fs::path& otherwise) {
        const std::string value = conf.value(name, node.chain).value_or("");
        return value.empty() ? otherwise : fs::path(value);
    };
    datadir = path("datadir", datadir);
    set_address(node.access.url, conf, node.chain);

    // A password in bitcoin.conf means that there is no cookie.
    const auto password = conf.value("rpcpassword", node.chain);
    if (password && !password->empty()) {
        node.access.url.user = conf.value("rpcuser", node.chain).value_or("");
        node.access.url.password = *password;
        return node;
    }
    const fs::path folder = datadir / subfolder(node.chain);
    node.access.cookie_file = folder / path("rpccookiefile", ".cookie");
    return node;
}

std::uint16_t default_rpc_port(Chain chain) {
    switch (chain) {
        case Chain::kMain: return 8332;
        case Chain::kTest: return 18332;
        case Chain::kTestnet4: return 48332;
        // Provisional, until Core has the chain (bitcoin/bitcoin pull request 35861, a draft): the port before that of
        // its peers, 18335 (BIP 95), as on Core's other chains.
        case Chain::kTestnet5: return 18334;
        case Chain::kSignet: return 38332;
        case Chain::kRegtest: return 18443;
        case Chain::kSimnet: return 18556;
    }
    return 8332;
}

}  // namespace gpuminer::net
