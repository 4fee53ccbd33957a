// The interface between the fast form, which is compiled with flags of its own, and the rest: plain data (see
// cpu/scan/scan_function.hpp for why).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/scan_types.hpp"

namespace gpuminer::verushash {

/// What is the same for every nonce of a header.
struct alignas(64) PreparedJob {
    std::uint8_t key[8832];   ///< as made of the header's first 1,472 bytes
    std::uint8_t buffer[64];  ///< what CLHash gets, but for the nonce: state, last 15 bytes of the header, state again
};

struct ScanArguments {
    const PreparedJob* job;
    void* workspace;  ///< workspace_bytes() of one thread, 64-byte aligned, reset by reset_workspace() for this job
    std::uint32_t target_top;
    std::uint32_t first_nonce;
    std::uint64_t count;  ///< at least 1; first_nonce + count <= 2^32

    Candidate* candidates;  ///< in no particular order
    std::size_t capacity;
    std::size_t found;  ///< counts on beyond `capacity`: that many there were
};

/// With x86's AES-NI, PCLMULQDQ, AVX2 and BMI2, or ARM64's AES and PMULL. Callable only where the CPU has all of them
/// (fast_forms.hpp).
namespace fast {

/// The job's buffer. `header`: the 1,487 bytes of a canonical form.
void absorb(const std::uint8_t* header, PreparedJob& job);
/// The job's key, from its buffer.
void make_key(PreparedJob& job);
[[nodiscard]] std::size_t workspace_bytes();
void reset_workspace(void* workspace, const PreparedJob& job);
void scan(ScanArguments& arguments);

/// Of one nonce by itself the most significant 32 bits of the hash, for the benchmark's ladder. The workspace is as for
/// a scan; `whole_key`: what rounds will change is made the job's by copying the key before, not those places
/// afterwards.
[[nodiscard]] std::uint32_t hash_one(void* workspace, const PreparedJob& job, std::uint32_t nonce, bool whole_key);

}  // namespace fast

}  // namespace gpuminer::verushash
