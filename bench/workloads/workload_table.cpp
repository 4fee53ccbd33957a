// Table of workloads.
#include "bench/workloads/workload.hpp"
#include "bench/workloads/workload_list.hpp"
#include "verushash/algorithm.hpp"

namespace gpuminer::bench {

Rows prepare_scan(const Setting& setting);
Rows prepare_kernel(const Setting& setting);
Rows prepare_ladder(const Setting& setting);
Rows prepare_sha256d64(const Setting& setting);
Rows prepare_os(const Setting& setting);
Rows prepare_input(const Setting& setting);
Rows prepare_latency(const Setting& setting);
Rows prepare_scheduler(const Setting& setting);
Rows prepare_pseudo_miner(const Setting& setting);
Rows prepare_block(const Setting& setting);
Rows prepare_verus_ladder(const Setting& setting);

namespace {

constexpr Workload kWorkloads[] = {
    {"scan", nullptr, "nonce search on every device, one header version and eight", 9, 0.5, true, true, prepare_scan},
    {"kernel", &kSha256d, "each CPU kernel by itself, against the limit of the execution ports", 301, 1e-3, true, true,
     prepare_kernel},
    {"ladder", &kSha256d, "the gain from each removal of per-nonce work, from the naive loop to the kernel", 301, 1e-3,
     true, true, prepare_ladder},
    {"sha256d64", &kSha256d, "double SHA-256 over 64-byte inputs as in merkle trees, in batches of 1 to 65536", 301,
     1e-3, true, true, prepare_sha256d64},
    {"os", nullptr, "the operating system: create threads, processes, files; launch programs; allocate memory", 3, 1,
     true, true, prepare_os},
    {"input", &kSha256d, "what a clock shows that covers input: byte by byte, from a late pipe, mapped, staged", 9, 0.1,
     true, true, prepare_input},
    {"latency", &kSha256d, "time until devices take up a new job, and until a stopped search has ended", 30, 0.2, true,
     true, prepare_latency},
    {"scheduler", nullptr, "the host's time per batch, with up to a thousand fake devices and 100 TH/s together", 5,
     1.5, true, true, prepare_scheduler},
    {"pseudo-miner", nullptr,
     "the experiment that started this project: all nonces of a header, in a piece for each CPU thread", 1, 60, false,
     false, prepare_pseudo_miner},
    {"block", &kSha256d, "all hashes of a block's transactions: txids, witness ids, merkle root; beside OpenSSL's", 101,
     4e-3, true, true, prepare_block},
    {"ladder", &kVerusHash, "the same with VerusHash: header and key once per job, nonces interleaved", 101, 1e-2, true,
     true, prepare_verus_ladder},
};

}  // namespace

std::span<const Workload> workloads() { return kWorkloads; }

}  // namespace gpuminer::bench
