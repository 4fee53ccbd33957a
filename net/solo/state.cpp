#include "net/solo/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/chain.hpp"
#include "net/bitcoin/coinbase.hpp"
#include "net/node/bitcoin_conf.hpp"
#include "net/node/rpc.hpp"
#include "net/transport/tls.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kReservedKept = 64;  // previous blocks

std::optional<Chain> parse_chain(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (const auto chain = chain_from_name(name)) return chain;
    throw InputError("expected one of " GPUMINER_CHAIN_NAMES " as --chain, got " + quoted_text(name));
}

}  // namespace

SoloNodes find_nodes(const SoloOptions& options) {
    SoloNodes nodes;
    nodes.chain = parse_chain(options.chain);
    for (const std::string& text : options.nodes) {
        NodeAccess access;
        access.url = parse_node_url(text, default_rpc_port(nodes.chain.value_or(Chain::kMain)));
        nodes.access.push_back(access);
    }
    if (nodes.access.empty()) {
        LocalNode local = find_local_node(options.datadir, nodes.chain);
        nodes.chain = local.chain;
        nodes.warnings = std::move(local.warnings);
        nodes.access.push_back(std::move(local.access));
    }
    TlsOptions tls{.ca_file = options.ca_file, .ca_pem = {}, .fingerprint = {}, .insecure = options.insecure};
    read_ca_file(tls);
    if (!tls.ca_file.empty()) (void)make_tls_context(tls, "");  // refuses a wrong one even where no node has https
    for (NodeAccess& access : nodes.access) {
        if (!options.cookie_file.empty()) access.cookie_file = options.cookie_file;
        access.tls = tls;
        access.gate = std::make_shared<CallGate>();
    }
    return nodes;
}

SoloState::SoloState(EventLoop& event_loop, const SoloOptions& given, const SoloNodes& given_nodes,
                     WorkCallbacks given_callbacks, std::uint64_t given_seed)
    : loop(event_loop),
      options(given),
      callbacks(std::move(given_callbacks)),
      address(parse_address(given.coinbase_address)),
      nodes(given_nodes),
      seed(given_seed) {
    if (nodes.chain) require_valid_on(address, *nodes.chain);
    require_room_for(options.coinbase_signature);
    for (const std::string& warning : nodes.warnings) say(Severity::kWarning, warning);
    for (const NodeAccess& access : nodes.access) warn_of_plain_text(access);
    if (options.insecure) {
        say(Severity::kWarning,
            "--insecure: the nodes' certificates are not verified; anyone on the way to them can read the password and "
            "change the work");
    }
    status_.server = nodes.access.front().url.text();
    status_.details = {{"coinbase_address", address.text},
                       {"script", to_hex(address.script)},
                       {"bip54", true},
                       {"last_error", ""},
                       {"nodes", nlohmann::json::array()}};
    for (const NodeAccess& access : nodes.access) status_.details["nodes"].push_back(access.url.text());
}

void SoloState::warn_of_plain_text(const NodeAccess& access) const {
    const bool has_login = !access.url.user.empty() || !access.url.password.empty() || !access.cookie_file.empty();
    if (access.url.tls || !has_login || is_local_host(access.url.host)) return;
    say(Severity::kWarning,
        fmt::format("anyone on the way to {} can read its password: https or a tunnel (ssh -L) hides it",
                    access.url.text()));
}

void SoloState::say(Severity severity, const std::string& text) const {
    if (callbacks.say) callbacks.say(severity, text);
}

void SoloState::end(Outcome outcome, const std::string& sentence) {
    if (std::exchange(over_, true)) return;
    status_.connected = false;
    changed();
    if (callbacks.over) callbacks.over(outcome, sentence);
}

void SoloState::finish() {
    finishing_ = true;
    changed();
}

void SoloState::want_template(std::chrono::milliseconds pause) {
    template_wanted_ = true;
    if (pause.count() > 0) not_before_ = steady_now() + pause;
    changed();
}

std::optional<SteadyTime> SoloState::template_wanted() const {
    return template_wanted_ ? std::optional(not_before_) : std::nullopt;
}

bool SoloState::reserve(const Hash256& previous) {
    if (over_ || is_reserved(previous)) return false;
    reserved_.push_back(previous);
    if (reserved_.size() > kReservedKept) reserved_.pop_front();
    changed();
    return true;
}

bool SoloState::is_reserved(const Hash256& previous) const {
    return std::ranges::find(reserved_, previous) != reserved_.end();
}

void SoloState::add_to(WorkStatus& status) const {
    status.connected = status_.connected;
    status.server = status_.server;
    status.difficulty = status_.difficulty;
    status.network_difficulty = status_.network_difficulty;
    status.details->update(*status_.details);
}

void SoloState::note_template(const std::string& server, double difficulty, std::uint32_t height,
                              const nlohmann::json& details) {
    height_ = height;
    status_.connected = true;
    status_.server = server;
    status_.difficulty = status_.network_difficulty = difficulty;
    status_.details->erase("fees_sat");  // not every template has it
    status_.details["last_error"] = "";
    status_.details->update(details);
    changed();
}

void SoloState::note_disconnected(const std::string& why) {
    status_.connected = false;
    status_.details["last_error"] = why;
    changed();
}

}  // namespace gpuminer::net
