#include "cli/options/mining_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include "cli/options/algorithms.hpp"
#include "cli/options/login_list.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/secrets.hpp"
#include "cli/terminal/terminal.hpp"
#include "gpuminer_build_info.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/address.hpp"
#include "net/bitcoin/chain.hpp"
#include "net/bitcoin/coinbase.hpp"
#include "net/journal/file.hpp"
#include "net/node/url.hpp"
#include "net/stratum/dialect.hpp"

namespace gpuminer {
namespace {

using net::PoolLogin;

constexpr std::uint64_t kMostRetries = 1'000'000;
constexpr unsigned kMostChannels = 100;

std::optional<std::uint64_t> count(const Arguments& arguments, const char* name) {
    const auto text = arguments.text(name);
    if (!text) return std::nullopt;
    return parse_number(name, *text, 1, std::numeric_limits<std::uint64_t>::max());
}

std::optional<unsigned> retries(const Arguments& arguments) {
    const auto text = arguments.text("--retries");
    if (!text || *text == "-1") return std::nullopt;  // -1: for ever, as other miners write it
    return static_cast<unsigned>(parse_number("-r", *text, 0, kMostRetries));
}

std::optional<double> quantity(const Arguments& arguments, const char* name) {
    const auto text = arguments.text(name);
    if (!text) return std::nullopt;
    return parse_quantity(name, *text);
}

/// A text that has to say something, if it is given.
std::string filled(const Arguments& arguments, const char* name, const char* expected) {
    const auto text = arguments.text(name);
    if (text == "") throw InputError(fmt::format("{}: expected {}, got nothing", name, expected));
    return text.value_or("");
}

/// Of `mining`, which is a PoolOptions or SoloOptions. The default one is done without where it cannot be.
template <class Mining>
void read_journal(const Arguments& arguments, const char* command, Mining& mining) {
    mining.journal = filled(arguments, "--journal", "a file name");
    mining.journal_required = !mining.journal.empty();
    if (mining.journal_required) return;
    try {
        mining.journal = net::default_journal_path(state_name(command, read_algorithm(arguments)));
    } catch (const InputError&) {  // the journal says so itself
    }
}

std::string fingerprint(const Arguments& arguments) {
    constexpr std::size_t kDigits = 64;
    std::string digits = ascii_lower(arguments.text("--tls-fingerprint").value_or(""));
    std::erase(digits, ':');
    if (!arguments.text("--tls-fingerprint")) return digits;
    require_hex_digits(digits, "--tls-fingerprint: 64 hex digits (SHA-256)");
    if (digits.size() != kDigits)
        throw InputError(fmt::format("--tls-fingerprint: expected 64 hex digits (SHA-256), got {}", digits.size()));
    return digits;
}

std::string agent() { return fmt::format("gpuminer/{}", kVersion); }

std::optional<net::ProxyUrl> read_proxy(const Arguments& arguments) {
    const auto proxy = arguments.text("--proxy");
    if (!proxy) return std::nullopt;
    return of_option("-x", *proxy, net::parse_proxy_url);
}

net::TlsOptions read_tls(const Arguments& arguments) {
    return {.ca_file = filled(arguments, "--cert", "a file name"),
            .ca_pem = {},
            .fingerprint = fingerprint(arguments),
            .insecure = arguments.flag("--insecure")};
}

/// A login of the configuration is for the pools there.
bool is_on_command_line(const Arguments& arguments, const std::string& name) {
    return arguments.text(name) && arguments.origin(name + ":").empty();
}

bool is_v2(const PoolLogin& pool) { return pool.url.stratum_v2; }

void check_algorithm(const Arguments& arguments, const char* name, bool stratum_v2) {
    if (stratum_v2 && &read_algorithm(arguments) != &kSha256d)
        throw InputError(fmt::format("{}: Stratum V2 is a protocol for sha256d alone", name));
}

/// `where`: pools of a kind.
void warn_of_no_effect(const Arguments& arguments, std::initializer_list<const char*> names, const char* where,
                       std::vector<std::string>& warnings) {
    std::vector<std::string> given;
    for (const char* const name : names) {
        if (arguments.text(name).value_or("false") != "false") given.emplace_back(name);
    }
    if (given.empty()) return;
    warnings.push_back(
        fmt::format("{} {} no effect on {}", fmt::join(given, ", "), given.size() == 1 ? "has" : "have", where));
}

/// They are not refused: a configuration file may serve other pools, too.
void warn_of_no_effect(const Arguments& arguments, const std::vector<PoolLogin>& pools,
                       std::vector<std::string>& warnings) {
    if (std::ranges::any_of(pools, &is_v2))
        warn_of_no_effect(arguments, {"--single-submit"}, "Stratum V2 pools, which answer several shares at once",
                          warnings);
    if (std::ranges::all_of(pools, &is_v2))
        warn_of_no_effect(arguments, {"--pass", "--pass-file", "--tls-fingerprint", "--cert", "--insecure"},
                          "Stratum V2 pools, which have neither passwords nor TLS", warnings);
    if (std::ranges::none_of(pools, &is_v2))
        warn_of_no_effect(arguments, {"--advertise-hashrate", "--channels"}, "Stratum V1 pools", warnings);
}

net::PoolProbe read_probe(const Arguments& arguments, const std::string& url, std::vector<std::string>& warnings) {
    if (is_on_command_line(arguments, "--url"))
        throw InputError("--probe: it takes the URL of one pool in place of -o");
    LoginList logins;
    of_option("--probe", url, net::parse_pool_url);
    logins.add("--url", url);
    for (const auto& [name, text] : arguments.in_order(kPool)) {
        if (LoginList::takes(name) && name != "--url" && is_on_command_line(arguments, name)) logins.add(name, text);
    }
    std::vector<PoolLogin> pools = std::move(logins).finish(false);
    PoolLogin& login = pools.front();
    check_algorithm(arguments, "--probe", login.url.stratum_v2);
    warn_of_no_effect(arguments, pools, warnings);
    return {.url = std::move(login.url),
            .algorithm = &read_algorithm(arguments),
            .user = std::move(login.user),
            .password = std::move(login.password),
            .advertised_rate = quantity(arguments, "--advertise-hashrate"),
            .proxy = read_proxy(arguments),
            .tls = read_tls(arguments),
            .agent = agent()};
}

net::PoolOptions read_pool(const Arguments& arguments, std::vector<std::string>& warnings) {
    net::PoolOptions pool;
    LoginList logins;
    for (const auto& [name, text] : arguments.in_order(kPool)) {
        if (LoginList::takes(name)) logins.add(name, text);
        if (name != "--pass-file") continue;
        if (auto warning = readable_by_others(text, "the password")) warnings.push_back(std::move(*warning));
    }
    pool.pools = std::move(logins).finish();
    check_algorithm(arguments, "-o", std::ranges::any_of(pool.pools, &is_v2));
    warn_of_no_effect(arguments, pool.pools, warnings);
    pool.proxy = read_proxy(arguments);
    pool.tls = read_tls(arguments);
    pool.retries = retries(arguments);
    if (const auto text = arguments.text("--retry-pause")) pool.retry_pause = parse_duration("-R", *text);
    pool.redirect = !arguments.flag("--no-redirect");
    pool.suggest_difficulty = quantity(arguments, "--suggest-diff");
    const Algorithm& algorithm = read_algorithm(arguments);
    if (pool.suggest_difficulty && !net::dialect_of(algorithm).suggests_difficulty)
        throw InputError(fmt::format("--suggest-diff: pools of {} cannot be asked for a difficulty", algorithm.name));
    pool.advertised_rate = quantity(arguments, "--advertise-hashrate");
    if (const auto text = arguments.text("--channels"))
        pool.channels = parse_small("--channels", *text, 1, kMostChannels);
    pool.shares = count(arguments, "--shares");
    pool.blocks = count(arguments, "--blocks");
    pool.single_submit = arguments.flag("--single-submit");
    pool.tell_shares = arguments.flag("--log-shares") || (is_terminal(kStandardError) && !arguments.flag("--plain"));
    read_journal(arguments, "pool", pool);
    pool.agent = agent();
    return pool;
}

/// Throws InputError.
void check_node(const std::string& url) {
    constexpr std::uint16_t kAnyPort = 1;
    try {
        (void)net::parse_node_url(url, kAnyPort);
    } catch (const InputError& error) {
        throw InputError(std::string("--node: ") + error.what());
    }
}

net::SoloOptions read_solo(const Arguments& arguments) {
    net::SoloOptions solo;
    solo.nodes = arguments.texts("--node");
    for (const std::string& node : solo.nodes) check_node(node);
    solo.cookie_file = filled(arguments, "--cookie", "a file name");
    solo.datadir = filled(arguments, "--datadir", "a folder");
    solo.chain = filled(arguments, "--chain", "one of " GPUMINER_CHAIN_NAMES);
    if (!solo.chain.empty() && !net::chain_from_name(solo.chain))
        throw InputError("--chain: expected one of " GPUMINER_CHAIN_NAMES ", got " + quoted_text(solo.chain));
    solo.ca_file = filled(arguments, "--cert", "a file name");
    solo.insecure = arguments.flag("--insecure");
    solo.coinbase_address = filled(arguments, "--coinbase-addr", "an address");
    if (solo.coinbase_address.empty()) throw InputError("no address given for blocks to pay: --coinbase-addr ADDRESS");
    (void)of_option("--coinbase-addr", solo.coinbase_address, net::parse_address);
    solo.coinbase_signature = arguments.text("--coinbase-sig").value_or("");
    of_option("--coinbase-sig", solo.coinbase_signature, net::require_room_for);
    solo.max_difficulty = quantity(arguments, "--max-diff");
    solo.blocks = count(arguments, "--blocks");
    solo.retries = retries(arguments);
    if (const auto text = arguments.text("--retry-pause")) solo.retry_pause = parse_duration("-R", *text);
    read_journal(arguments, "solo", solo);
    return solo;
}

}  // namespace

MiningOptions read_mining(const Arguments& arguments) {
    MiningOptions mining;
    mining.sandbox = !arguments.flag("--no-sandbox");
    mining.warnings = arguments.warnings();
    mining.max_hash_rate = quantity(arguments, "--max-hashrate");
    const auto probe = arguments.text("--probe");
    if (probe) {
        mining.probe = read_probe(arguments, *probe, mining.warnings);
    } else if (arguments.command() == Command::kPool) {
        mining.pool = read_pool(arguments, mining.warnings);
    } else {
        mining.solo = read_solo(arguments);
    }
    return mining;
}

}  // namespace gpuminer
