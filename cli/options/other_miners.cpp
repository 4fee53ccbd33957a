#include "cli/options/other_miners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "host/errors.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/chain.hpp"

namespace gpuminer {
namespace {

struct Advice {
    std::string_view option, instead;
};

// cpuminer, ccminer, bfgminer, XMRig, T-Rex, hashcat.
constexpr Advice kAdvice[] = {
    {"--benchmark", "gpuminer bench measures this machine"},
    {"--bench", "gpuminer bench measures this machine"},
    {"--list-devices", "gpuminer devices lists them"},
    {"--ndevs", "gpuminer devices lists them"},
    {"--cputest", "every device is tested before it mines"},
    {"--host", "the pool is given as -o stratum+tcp://HOST:PORT"},
    {"--pool", "the pool is given as -o stratum+tcp://HOST:PORT"},
    {"--server", "the pool is given as -o stratum+tcp://HOST:PORT"},
    {"--port", "the pool is given as -o stratum+tcp://HOST:PORT"},
    {"--http-port", "use --http PORT"},
    {"--tls", "a pool with TLS is given as -o stratum+ssl://HOST:PORT"},
    {"--wallet", "the address is the user: -u ADDRESS.WORKER"},
    {"--worker", "the worker is part of the user: -u ADDRESS.WORKER"},
    {"--rig-id", "the worker is part of the user: -u ADDRESS.WORKER"},
    {"--password", "use -p, or better --pass-file or GPUMINER_PASS"},
    {"--coin", "use --algorithm: sha256d (Bitcoin) or verushash"},
    {"--device", "select devices with -d, by the names that gpuminer devices prints"},
    {"--gpu", "select devices with -d; -d cuda selects all of a backend"},
    {"--no-gpu", "--backend cpu uses CPU threads only"},
    {"--no-cpu", "--backend cuda,opencl,vulkan uses GPUs only"},
    {"--cuda", "--backend cuda uses CUDA's devices only"},
    {"--opencl", "--backend opencl uses OpenCL's devices only"},
    {"--scan-serial", "--backend selects the kinds of devices"},
    {"--workload-profile", "-i sets the size of a device's batches"},
    {"--gpu-launch", "-i sets the size of a device's batches"},
    {"--donate-level", "there is no developer fee"},
    {"--donate-over-proxy", "there is no developer fee"},
    {"--temperature-limit", "use --max-temp"},
    {"--temp-cutoff", "use --max-temp"},
    {"--max-cpu-usage", "-t sets the number of CPU threads"},
    {"--cpu-max-threads-hint", "-t sets the number of CPU threads"},
    {"--retry-delay", "use --retry-pause"},
    {"--coinbase-address", "use --coinbase-addr"},
    {"--background", "a service manager, nohup or setsid runs it in the background"},
    {"--syslog", "--log-file keeps messages; under systemd standard error goes to the journal"},
    // Bitcoin's own tools, whose options have one dash.
    {"-algo", "use --algorithm"},
    {"-chain", "--chain NAME is for solo, and a header needs no chain: its nBits are the target"},
    {"-datadir", "use --datadir DIR, with solo"},
    {"-conf", "solo reads the bitcoin.conf of --datadir, and -c names a configuration file of gpuminer's own"},
    {"-rpccookiefile", "use --cookie FILE"},
    {"-rpcwallet", "no wallet is needed: solo pays to --coinbase-addr"},
    {"-stdinwalletpassphrase", "no wallet is needed: solo pays to --coinbase-addr"},
    {"-stdinrpcpass", "the node is given as --node http://USER:PASS@HOST:PORT, or as GPUMINER_NODE"},
    {"-stdin", "a HEADER of - is read from standard input"},
    {"-color", "colours are for terminals, and --no-color switches them off"},
    {"-debuglogfile", "use --log-file"},
    {"-daemon", "a service manager, nohup or setsid runs it in the background"},
    {"-named", "there is no such option, as gpuminer passes on no calls to a node"},
    {"-getinfo", "there is no such option, as gpuminer passes on no calls to a node"},
    {"-netinfo", "there is no such option, as gpuminer passes on no calls to a node"},
    {"-addrinfo", "there is no such option, as gpuminer passes on no calls to a node"},
    {"-generate", "there is no such option; solo mines, and stops after --blocks N"},
    {"-create", "there is no such option, as gpuminer makes no transactions"},
    {"-txid", "there is no such option, as gpuminer makes no transactions"},
    {"-ipcconnect", "the node is given as --node http://USER:PASS@HOST:PORT"},
    {"-signetchallenge", "there is no such option: the node of --chain signet knows its challenge"},
    {"-signetseednode", "there is no such option: the node of --chain signet knows its peers"},
};

// Those that begin so, of which none is above.
constexpr Advice kAdviceOnBeginnings[] = {
    {"-rpcwait", "solo waits for its node, unless --retries N limits the attempts"},
    {"-rpc", "the node is given as --node http://USER:PASS@HOST:PORT"},
};

/// The option of this letter or name, as "-t" or "--threads"; null: none.
const OptionRow* row_of_option(std::string_view word) {
    const auto rows = option_rows();
    const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
        return word == long_name(row) ||
               (word.size() == 2 && std::string_view(row.names).starts_with(fmt::format("{},", word)));
    });
    return found != rows.end() ? &*found : nullptr;
}

/// Whether what follows an option's letter in one word cannot be its value: "daemonwait" no device, "onnect=1.2.3.4" no
/// file. (A user's name or a password may be anything.)
bool cannot_be_value(const OptionRow& row, std::string_view value) {
    const std::string_view kind = row.value != nullptr ? row.value : "";
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(value, is_lower) - value.begin());
    if (end < 2 || kind.empty() || row.environment != nullptr) return false;
    if (row.choices != nullptr) {
        const std::vector<std::string> choices = words_of_list(row.choices);
        const std::string word = ascii_lower(value.substr(0, value.find_first_of(":#=")));
        return nearest_name(word, choices).empty() &&
               std::ranges::none_of(choices, [&](const std::string& choice) { return word.starts_with(choice); });
    }
    return kind == "N" || kind == "TIME" || ((kind == "FILE" || kind == "URL") && value.substr(end).starts_with('='));
}

/// `value`: what follows the name, with its "="
std::string instead_of_word(const std::string& name, std::string_view value) {
    if (std::string instead = instead_of(name); !instead.empty()) return instead;
    if (const auto chain = net::chain_from_name(name.substr(1)); chain && (value.empty() || value == "=1"))
        return fmt::format("--chain {} is for solo, and a header needs no chain: its nBits are the target",
                           net::name_of(*chain));
    if (row_of_option("-" + name) != nullptr) return fmt::format("use -{}", name);
    const OptionRow* const row = row_of_option(name.substr(0, 2));
    if (row == nullptr || !cannot_be_value(*row, name.substr(2) + std::string(value))) return "";
    return fmt::format("{} is {}, whose value cannot be that", name.substr(0, 2), long_name(*row));
}

/// "'-connect' and what follows it": no more than the name.
std::string shown_name(const std::string& word) {
    const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(word, is_of_name) - word.begin());
    const bool is_whole = end == word.size() || word[end] == '=';
    return quoted_text(word.substr(0, end)) + (is_whole ? "" : " and what follows it");
}

/// Whether the next word is the value of the last option in a word of letters, as "-qp"; empty: one of them is unknown.
std::optional<bool> last_option_of(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
        const OptionRow* const row = row_of_option(fmt::format("-{}", word[i]));
        if (row == nullptr) return std::nullopt;
        if (row->value != nullptr) return i + 1 == word.size();
    }
    return false;
}

}  // namespace

std::string instead_of(std::string_view option) {
    const auto* const found = std::ranges::find(kAdvice, option, &Advice::option);
    if (found != std::end(kAdvice)) return std::string(found->instead);
    const auto* const begun = std::ranges::find_if(
        kAdviceOnBeginnings, [&](const Advice& advice) { return option.starts_with(advice.option); });
    return begun != std::end(kAdviceOnBeginnings) ? std::string(begun->instead) : "";
}

void refuse_words_of_one_dash(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (!word.starts_with('-') || word == "-") continue;
        const std::string name = word.substr(0, word.find('='));
        if (word.starts_with("--")) {
            const OptionRow* const row = row_of_option(name == "--algo" ? "--algorithm" : name);
            if (row == nullptr) return;  // unknown, and refused elsewhere: what follows may be a password
            if (row->value != nullptr && name == word) ++i;  // its value, which may look like an option
            continue;
        }
        const std::string instead = instead_of_word(name, word.substr(name.size()));
        if (!instead.empty()) throw InputError(fmt::format("unknown option {}; {}", shown_name(word), instead));
        const auto last = last_option_of(word);
        if (!last) return;
        if (*last) ++i;
    }
}

}  // namespace gpuminer
