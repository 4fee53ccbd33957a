// The subset of CUDA C++ that the kernels use: built into nvcc; for clang the same as attributes and built-in
// functions, so that it needs none of NVIDIA's headers. For any other compiler, which has no device, as plain C++.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)  // nvcc
#define GPUMINER_DEVICE __device__ __forceinline__
#define GPUMINER_KERNEL(...) extern "C" __global__ void __launch_bounds__(__VA_ARGS__)
#define GPUMINER_PARAMETERS const __grid_constant__
#define GPUMINER_SHARED extern __shared__
#elif defined(__CUDA__)  // clang
#define GPUMINER_DEVICE __attribute__((device, always_inline)) inline
#define GPUMINER_KERNEL(...) extern "C" __attribute__((global, launch_bounds(__VA_ARGS__))) void
#define GPUMINER_PARAMETERS const
#define GPUMINER_SHARED extern __attribute__((shared))
#else
#define GPUMINER_DEVICE inline
#endif

#if defined(__CUDACC__) || defined(__CUDA__)
#define GPUMINER_UNROLL(times) _Pragma(GPUMINER_TEXT(unroll times))
#define GPUMINER_TEXT(text) #text
#else
#define GPUMINER_UNROLL(times)
#endif

namespace gpuminer::cuda {

using word = std::uint32_t;

/// A nonce is serialised little-endian and read as a big-endian message word.
GPUMINER_DEVICE word byte_swapped(word x) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
    return __byte_perm(x, 0, 0x0123);
#elif defined(__CUDA__)
    return __nvvm_prmt(x, 0, 0x0123);
#else
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
#endif
}

/// The high word of x·y. (Of a product of 64 bits, shifted, nvcc makes a wide multiplication, and moves its results.)
GPUMINER_DEVICE word high_product(word x, word y) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
    return __umulhi(x, y);
#else
    return static_cast<word>(std::uint64_t{x} * y >> 32);
#endif
}

// Functions of three words, bit by bit. In PTX where clang compiles them: it would share parts between rounds, and
// every GPU has one instruction for all of it.
#if defined(__CUDA__) && !defined(__CUDACC__)
#define GPUMINER_LOGIC(name, expression, table)                                              \
    GPUMINER_DEVICE word name(word x, word y, word z) {                                      \
        word result;                                                                         \
        asm("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(result) : "r"(x), "r"(y), "r"(z)); \
        return result;                                                                       \
    }
#else
#define GPUMINER_LOGIC(name, expression, table) \
    GPUMINER_DEVICE word name(word x, word y, word z) { return expression; }
#endif
GPUMINER_LOGIC(xor3, x ^ y ^ z, 0x96)
GPUMINER_LOGIC(choose, (x & y) | (~x & z), 0xca)
GPUMINER_LOGIC(majority, (x & y) | (x & z) | (y & z), 0xe8)

#if defined(__CUDACC__) || defined(__CUDA__)

/// Four words that are loaded and stored at once.
struct alignas(16) Quad {
    word x, y, z, w;
};

#if defined(__CUDACC__)
__device__ inline word thread_in_block() { return threadIdx.x; }
__device__ inline word thread_of_launch() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline std::uint64_t cycle_counter() { return static_cast<std::uint64_t>(clock64()); }
/// The count before the addition.
__device__ inline word add_atomically(word* count, word more) { return atomicAdd(count, more); }
#else
GPUMINER_DEVICE word thread_in_block() { return static_cast<word>(__nvvm_read_ptx_sreg_tid_x()); }
GPUMINER_DEVICE word thread_of_launch() {
    const auto block = static_cast<word>(__nvvm_read_ptx_sreg_ctaid_x());
    return block * static_cast<word>(__nvvm_read_ptx_sreg_ntid_x()) + thread_in_block();
}
GPUMINER_DEVICE std::uint64_t cycle_counter() { return static_cast<std::uint64_t>(__nvvm_read_ptx_sreg_clock64()); }
GPUMINER_DEVICE word add_atomically(word* count, word more) {
    return __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}
#endif

#endif

}  // namespace gpuminer::cuda
