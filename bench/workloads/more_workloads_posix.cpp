// Workloads that the program for Windows does not have: one with OpenSSL, and those of other algorithms.
#include "bench/workloads/workload.hpp"
#include "bench/workloads/workload_list.hpp"
#include "verushash/algorithm.hpp"

namespace gpuminer::bench {

Rows prepare_block(const Setting& setting);
Rows prepare_verus_ladder(const Setting& setting);

namespace {

constexpr Workload kMoreWorkloads[] = {
    {"block", &kSha256d, "all hashes of a block's transactions: txids, witness ids, merkle root; beside OpenSSL's", 101,
     4e-3, true, true, prepare_block},
    {"ladder", &kVerusHash, "the same with VerusHash: header and key once per job, nonces interleaved", 101, 1e-2, true,
     true, prepare_verus_ladder},
};

}  // namespace

std::span<const Workload> more_workloads() { return kMoreWorkloads; }

}  // namespace gpuminer::bench
