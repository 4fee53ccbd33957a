#include "cli/options/other_miners.hpp"

#include <algorithm>
#include <iterator>

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
    {"-regtest", "--chain regtest is for solo, and a header needs no chain: its nBits are the target"},
    {"-signet", "--chain signet is for solo, and a header needs no chain: its nBits are the target"},
    {"-testnet", "--chain test is for solo, and a header needs no chain: its nBits are the target"},
    {"-testnet4", "--chain testnet4 is for solo, and a header needs no chain: its nBits are the target"},
    {"-datadir", "use --datadir DIR, with solo"},
    {"-conf", "solo reads the bitcoin.conf of --datadir, and -c names a configuration file of gpuminer's own"},
    {"-rpcconnect", "the node is given as --node http://USER:PASS@HOST:PORT"},
    {"-rpcport", "the node is given as --node http://USER:PASS@HOST:PORT"},
    {"-rpcuser", "the node is given as --node http://USER:PASS@HOST:PORT"},
    {"-rpcpassword", "the node is given as --node http://USER:PASS@HOST:PORT"},
    {"-rpccookiefile", "use --cookie FILE"},
    {"-rpcwallet", "no wallet is needed: solo pays to --coinbase-addr"},
    {"-version", "use --version"},
};

}  // namespace

std::string_view instead_of(std::string_view option) {
    const auto* const found = std::ranges::find(kAdvice, option, &Advice::option);
    return found == std::end(kAdvice) ? std::string_view() : found->instead;
}

}  // namespace gpuminer
