#include "cli/options/other_miners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/options/option_table.hpp"
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
    {"-signetchallenge", "there is no such option: the node of --chain signet knows its challenge"},
};

// Those that begin so, of which none is above.
constexpr Advice kAdviceOnBeginnings[] = {
    {"-rpcwait", "solo waits for its node, unless --retries N limits the attempts"},
    {"-rpc", "the node is given as --node http://USER:PASS@HOST:PORT"},
};

}  // namespace

std::string instead_of(std::string_view option) {
    const auto* const found = std::ranges::find(kAdvice, option, &Advice::option);
    if (found != std::end(kAdvice)) return std::string(found->instead);
    if (!option.starts_with('-') || option.starts_with("--")) return "";
    if (const auto chain = net::chain_from_name(option.substr(1)))
        return fmt::format("--chain {} is for solo, and a header needs no chain: its nBits are the target",
                           net::name_of(*chain));
    const auto rows = option_rows();
    const bool is_ours =
        std::ranges::any_of(rows, [&](const OptionRow& row) { return long_name(row) == fmt::format("-{}", option); });
    if (is_ours) return fmt::format("use -{}", option);
    const auto* const begun = std::ranges::find_if(
        kAdviceOnBeginnings, [&](const Advice& advice) { return option.starts_with(advice.option); });
    return begun != std::end(kAdviceOnBeginnings) ? std::string(begun->instead) : "";
}

}  // namespace gpuminer
