#include "net/solo/state.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/bitcoin/coinbase.hpp"
#include "net/journal_entries.hpp"
#include "net/node/bitcoin_conf.hpp"

namespace gpuminer::net {
namespace {

std::optional<Chain> parse_chain(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (const auto chain = chain_from_name(name)) return chain;
    throw InputError("expected main, test, testnet4, signet, regtest or simnet as --chain, but it is " +
                     quoted_text(name));
}

std::vector<NodeAccess> nodes_of(const SoloOptions& options, std::optional<Chain>& chain, std::string& warning) {
    std::vector<NodeAccess> nodes;
    for (const std::string& text : options.nodes) {
        NodeAccess access;
        access.url = parse_node_url(text, default_rpc_port(chain.value_or(Chain::kMain)));
        nodes.push_back(access);
    }
    if (nodes.empty()) {
        LocalNode local = find_local_node(options.datadir, chain);
        chain = local.chain;
        for (const std::string& line : local.warnings) warning = line;
        nodes.push_back(std::move(local.access));
    }
    for (NodeAccess& access : nodes) {
        if (!options.cookie_file.empty()) access.cookie_file = options.cookie_file;
        access.tls.ca_file = options.ca_file;
        access.tls.insecure = options.insecure;
    }
    return nodes;
}

/// Throws InputError where the text does not fit into a coinbase.
void require_room_for(const std::string& signature) {
    CoinbaseParts parts;
    parts.height = 0x00ffffff;  // as long as any height will be for the next 300 years
    parts.signature = signature;
    (void)Coinbase(parts);
}

}  // namespace

SoloState::SoloState(const SoloOptions& given, WorkCallbacks given_callbacks)
    : options(given),
      callbacks(std::move(given_callbacks)),
      address(parse_address(given.coinbase_address)),
      wanted_chain(parse_chain(given.chain)),
      journal(given.journal, open_blocks) {
    std::string warning;
    nodes = nodes_of(options, wanted_chain, warning);
    if (wanted_chain) require_valid_on(address, *wanted_chain);
    require_room_for(options.coinbase_signature);
    if (!warning.empty()) say(Severity::kWarning, warning);
    if (options.insecure) {
        say(Severity::kWarning,
            "--insecure: the nodes' certificates are not verified; whoever sits between can read "
            "the password and change what is mined");
    }
    status.server = nodes.front().url.text();
    status.details = {{"coinbase_address", address.text},
                      {"script", to_hex(address.script)},
                      {"journal", journal.path().string()},
                      {"nodes", nlohmann::json::array()}};
    for (const NodeAccess& access : nodes) status.details["nodes"].push_back(access.url.text());
}

void SoloState::say(Severity severity, const std::string& text) const {
    if (callbacks.say) callbacks.say(severity, text);
}

void SoloState::end(Outcome outcome, const std::string& sentence) {
    {
        const std::lock_guard lock(mutex);
        if (over) return;
        over = true;
        status.connected = false;
    }
    changed.notify_all();
    if (callbacks.over) callbacks.over(outcome, sentence);
}

void SoloState::want_template() {
    {
        const std::lock_guard lock(mutex);
        template_wanted = true;
    }
    changed.notify_all();
}

bool SoloState::is_solved(const Hash256& previous) const {
    return std::find(solved.begin(), solved.end(), previous) != solved.end();
}

}  // namespace gpuminer::net
