#include "cli/other_miners.hpp"

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
    {"--tls", "a pool with TLS is given as -o stratum+ssl://HOST:PORT"},
    {"--wallet", "the address is the user: -u ADDRESS.WORKER"},
    {"--worker", "the worker is part of the user: -u ADDRESS.WORKER"},
    {"--rig-id", "the worker is part of the user: -u ADDRESS.WORKER"},
    {"--password", "it is -p, or better --pass-file or GPUMINER_PASS"},
    {"--coin", "there is Bitcoin's SHA-256d only"},
    {"--device", "devices are chosen with -d, by the names that gpuminer devices prints"},
    {"--gpu", "devices are chosen with -d; -d cuda takes all of a backend"},
    {"--no-gpu", "--backend cpu takes CPU threads alone"},
    {"--no-cpu", "--backend cuda,opencl,vulkan takes GPUs alone"},
    {"--cuda", "--backend cuda takes CUDA's devices alone"},
    {"--opencl", "--backend opencl takes OpenCL's devices alone"},
    {"--scan-serial", "--backend chooses what is looked for"},
    {"--workload-profile", "-i sets how much a device is given at a time"},
    {"--gpu-launch", "-i sets how much a device is given at a time"},
    {"--donate-level", "there is no developer fee"},
    {"--donate-over-proxy", "there is no developer fee"},
    {"--temperature-limit", "it is --max-temp"},
    {"--temp-cutoff", "it is --max-temp"},
    {"--max-cpu-usage", "-t sets the number of CPU threads"},
    {"--cpu-max-threads-hint", "-t sets the number of CPU threads"},
    {"--retry-delay", "it is --retry-pause"},
    {"--coinbase-address", "it is --coinbase-addr"},
    {"--background", "a service manager, nohup or setsid runs it in the background"},
    {"--syslog", "--log-file keeps messages; under systemd standard error goes to the journal"},
};

}  // namespace

std::string_view instead_of(std::string_view option) {
    const auto* const found = std::ranges::find(kAdvice, option, &Advice::option);
    return found == std::end(kAdvice) ? std::string_view() : found->instead;
}

}  // namespace gpuminer
