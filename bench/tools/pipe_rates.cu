// Kernels that measure pipe rates: one block of 1,024 threads on each multiprocessor runs only the instructions in
// question, in independent chains, and reads the cycle counter before and after.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "bench/tools/pipe_rates.hpp"

namespace gpuminer::bench {
namespace {

constexpr int kThreads = 1024;
constexpr int kChains = 8;
constexpr int kStepsPerRound = 16;
constexpr int kRounds = 512;
constexpr double kInstructions = double{kChains} * kStepsPerRound * kRounds;

// One instruction each, in PTX so that the compiler takes no other. `x` is the chain's value, `y` and `z` come from
// other chains, so that no step can be merged with the next.
struct Shf {
    __device__ static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(low) : "r"(y));
        x = low;
    }
};
struct Lop3 {
    __device__ static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct Imad {
    __device__ static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct ImadHi {
    __device__ static void step(std::uint64_t& x, std::uint32_t y, std::uint32_t z) {
        auto low = static_cast<std::uint32_t>(x);
        asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(low) : "r"(y), "r"(z));
        x = low;
    }
};
struct ImadWide {
    /// Multiplies the halves of x, so that both halves of the product are needed.
    __device__ static void step(std::uint64_t& x, std::uint32_t, std::uint32_t) {
        const auto low = static_cast<std::uint32_t>(x);
        const auto high = static_cast<std::uint32_t>(x >> 32);
        asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(x) : "r"(low), "r"(high));
    }
};

/// Even chains take `Even`, odd ones `Odd`.
template <class Even, class Odd>
__global__ void __launch_bounds__(kThreads) pipes(std::uint32_t seed, std::uint64_t* sink, long long* cycles) {
    std::uint64_t x[kChains];
    for (int i = 0; i < kChains; ++i) x[i] = (std::uint64_t{seed} << 33) + threadIdx.x * kChains + i;
    const std::uint32_t y = seed * 0x9e3779b9u + threadIdx.x;
    const std::uint32_t z = seed * 0x85ebca6bu - threadIdx.x;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
        for (int step = 0; step < kStepsPerRound; ++step) {
#pragma unroll
            for (int i = 0; i < kChains; i += 2) {
                Even::step(x[i], y, z);
                Odd::step(x[i + 1], y, z);
            }
        }
    }
    __syncthreads();
    const long long end = clock64();
    std::uint64_t sum = 0;
    for (int i = 0; i < kChains; ++i) sum += x[i];
    sink[blockIdx.x * kThreads + threadIdx.x] = sum;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(T))); }
    ~DeviceArray() { (void)cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::vector<T> copy() const {
        std::vector<T> here(size_);
        check(cudaMemcpy(here.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return here;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

using Kernel = void (*)(std::uint32_t, std::uint64_t*, long long*);

PipeRate measure(Kernel kernel, const char* name, const char* question, int multiprocessors, int repetitions) {
    const auto blocks = static_cast<std::size_t>(multiprocessors);
    const DeviceArray<std::uint64_t> sink(blocks * kThreads);
    const DeviceArray<long long> cycles(blocks);
    cudaEvent_t start = nullptr, end = nullptr;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    std::vector<double> lanes;
    double clock_mhz = 0;
    for (int i = -1; i < repetitions; ++i) {  // the first one loads the code and raises the clocks
        check(cudaEventRecord(start));
        kernel<<<multiprocessors, kThreads>>>(static_cast<std::uint32_t>(i) + 3, sink.data(), cycles.data());
        check(cudaGetLastError());
        check(cudaEventRecord(end));
        const std::vector<long long> taken = cycles.copy();
        if (i < 0) continue;
        for (const long long each : taken) lanes.push_back(kInstructions * kThreads / static_cast<double>(each));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start, end));
        const auto longest = static_cast<double>(*std::max_element(taken.begin(), taken.end()));
        clock_mhz = std::max(clock_mhz, longest / (milliseconds * 1e3));
    }
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(end));
    std::sort(lanes.begin(), lanes.end());
    return {name, question, lanes[lanes.size() / 2], lanes.front(), lanes.back(), clock_mhz};
}

}  // namespace

std::vector<PipeRate> measure_pipe_rates(int device, int repetitions) {
    check(cudaSetDevice(device));
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const auto rate = [&](Kernel kernel, const char* name, const char* question) {
        return measure(kernel, name, question, multiprocessors, repetitions);
    };
    return {
        rate(pipes<Shf, Shf>, "SHF", "rotations: 64 in the model"),
        rate(pipes<Lop3, Lop3>, "LOP3", "logic: 64 in the model"),
        rate(pipes<Shf, Lop3>, "SHF + LOP3", "64 if both are on one pipe"),
        rate(pipes<Imad, Imad>, "IMAD", "additions of the mixes: 64 in the model"),
        rate(pipes<ImadHi, ImadHi>, "IMAD.HI", "shifts of the mixes: 32 in the model"),
        rate(pipes<ImadWide, ImadWide>, "IMAD.WIDE", "32 in the model"),
        rate(pipes<Shf, Imad>, "SHF + IMAD", "128 if the pipes work side by side"),
        rate(pipes<Lop3, Imad>, "LOP3 + IMAD", "128 if the pipes work side by side"),
        rate(pipes<Shf, ImadHi>, "SHF + IMAD.HI", "64 if IMAD.HI is half rate on a pipe of its own"),
        rate(pipes<Shf, ImadWide>, "SHF + IMAD.WIDE", "64 if IMAD.WIDE is half rate on a pipe of its own"),
    };
}

}  // namespace gpuminer::bench
