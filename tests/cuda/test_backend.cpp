// Tests of the CUDA backend's host side over a fake runtime library (fake_runtime.hpp).
#include <cstring>

#include "cuda/backend.hpp"
#include "cuda/launch.hpp"
#include "fake_runtime.hpp"
#include "host/gpu/engine.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::uint32_t kQuarter = 0x3fffffff;  // a quarter of all nonces passes

FakeDevice some_device() {
    FakeDevice device;
    cudaDeviceProp& properties = device.properties;
    std::strcpy(properties.name, "Fake H200");
    for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i)
        properties.uuid.bytes[i] = static_cast<char>(0xf8 + i);
    properties.major = 9;
    properties.minor = 0;
    properties.multiProcessorCount = 132;
    properties.totalGlobalMem = std::size_t{139} << 30;
    properties.pciBusID = 0x1a;
    return device;
}

/// A runtime with one device, and none of what an earlier test has set.
FakeRuntime& fresh_runtime() {
    REQUIRE(fake_runtime().alive == 0);
    fake_runtime() = FakeRuntime{};
    fake_runtime().devices.push_back(some_device());
    return fake_runtime();
}

Probe only_probe() {
    const std::vector<Probe> probes = kCudaBackend.probe({});
    REQUIRE(probes.size() == 1);
    return probes.front();
}

/// Opened with as little tuning as possible, whatever is remembered of it.
std::unique_ptr<Device> open_device() {
    DeviceOptions options;
    options.retune = true;
    options.tuning_seconds = 0;
    return kCudaBackend.open(only_probe(), options);
}

Keys keys_of(const Candidates& found) {
    REQUIRE_FALSE(found.overflow());
    Keys keys;
    for (const Candidate& item : found.items()) keys.emplace_back(item.version_index, item.nonce);
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

TEST_CASE("what CUDA says of a device") {
    fresh_runtime();
    const Probe probe = only_probe();
    CHECK(probe.usable);
    CHECK(probe.used_by_default);
    CHECK(probe.reason.empty());
    CHECK(probe.info.name == "cuda:sm_90#0");
    CHECK(probe.info.backend == "cuda");
    CHECK(probe.info.kind == "sm_90");
    CHECK_FALSE(probe.info.is_cpu());
    CHECK(probe.info.model == "Fake H200");
    CHECK(probe.info.api_version ==
          "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10));
    CHECK(probe.info.driver.starts_with("NVIDIA"));
    CHECK(probe.info.memory_bytes == std::uint64_t{139} << 30);
    CHECK(probe.info.units == 132);
    CHECK(probe.info.clock_mhz == 1980);
    CHECK(probe.info.pci == "0000:1a:00.0");
    CHECK(probe.info.uuid == "f8f9fafbfcfdfeff0001020304050607");
    CHECK_FALSE(probe.info.software);
}

TEST_CASE("CUDA devices that cannot be used say why") {
    FakeRuntime& runtime = fresh_runtime();
    SECTION("the build has no code for it") {
        runtime.devices[0].properties.major = 3;
        CHECK(only_probe().info.name == "cuda:sm_30#0");
        CHECK(only_probe().reason.find("no code for compute capability 3.0") != std::string::npos);
    }
    SECTION("computing is prohibited") {
        runtime.devices[0].compute_mode = cudaComputeModeProhibited;
        CHECK(only_probe().reason ==
              "its compute mode is \"prohibited\"; nvidia-smi -i 0000:1a:00.0 -c DEFAULT allows it");
    }
    SECTION("it does not answer") {
        runtime.errors["cudaGetDeviceProperties"] = cudaErrorUnknown;
        CHECK(only_probe().info.name == "cuda:unknown#0");
        CHECK(only_probe().reason.find("does not answer (a fake error)") != std::string::npos);
    }
    SECTION("CUDA cannot start") {
        runtime.errors["cudaGetDeviceCount"] = cudaErrorInitializationError;
        CHECK(only_probe().info.name == "cuda");
        CHECK_FALSE(only_probe().reason.empty());
    }
    SECTION("there is none") {
        runtime.devices.clear();
        CHECK(only_probe().info.name == "cuda");
        CHECK_FALSE(only_probe().reason.empty());
    }
    CHECK_FALSE(only_probe().usable);
}

TEST_CASE("several CUDA devices are numbered") {
    FakeRuntime& runtime = fresh_runtime();
    runtime.devices.push_back(some_device());
    runtime.devices.back().properties.major = 12;
    const std::vector<Probe> probes = kCudaBackend.probe({});
    REQUIRE(probes.size() == 2);
    CHECK(probes[0].info.name == "cuda:sm_90#0");
    CHECK(probes[1].info.name == "cuda:sm_120#1");
    CHECK(probes[1].index == 1);
}

TEST_CASE("a CUDA device finds what OpenSSL finds, with every setup") {
    FakeRuntime& runtime = fresh_runtime();
    const auto device = open_device();
    gpu::Engine& engine = *gpu::engine_of(*device);
    const BlockHeader header = random_headers(1, 40).front();
    constexpr NonceRange kRange{0xfffffc01, 0x3ff};                    // up to the last nonce of all
    constexpr std::uint32_t kVersions = cuda::kVersionsPerLaunch + 3;  // two launches
    const Oracle oracle(header, some_versions(kVersions), kRange);
    for (const std::uint32_t versions : {1u, 2u, 8u, cuda::kVersionsPerLaunch, kVersions}) {
        const ScanJob job = job_of(header, some_versions(versions), kQuarter);
        for (const gpu::KernelVariant& variant : engine.variants(job.rolled())) {
            INFO(versions << " versions, " << gpu::to_string(variant));
            engine.prepare(variant, job.rolled());
            runtime.launches.clear();
            Candidates found;
            engine.scan(variant, job, kRange, found);
            REQUIRE(keys_of(found) == oracle.keys(versions, kRange, kQuarter));
            REQUIRE(runtime.launches.size() == (versions == kVersions ? 2 : 1));
            const unsigned shared_bytes = job.rolled() ? cuda::kSharedBytesPerThread * variant.group : 0;
            REQUIRE(runtime.launches[0] ==
                    std::string(job.rolled() ? "rolled" : "fixed") + " mix " +
                        std::to_string(static_cast<int>(variant.mix)) + ", " + std::to_string(1024 / variant.group) +
                        " blocks of " + std::to_string(variant.group) + ", " + std::to_string(shared_bytes) + " bytes");
        }
    }
}

TEST_CASE("more CUDA candidates than fit are an overflow") {
    fresh_runtime();
    const auto device = open_device();
    gpu::Engine& engine = *gpu::engine_of(*device);
    const BlockHeader header = random_headers(1, 41).front();
    for (const std::uint32_t versions : {1u, 2u}) {
        const ScanJob everything = job_of(header, some_versions(versions), 0xffffffff);
        const std::uint64_t fit = Candidates::kCapacity / versions;
        for (const std::uint64_t count : {fit, fit + 1}) {
            INFO(versions << " versions, " << count << " nonces");
            Candidates found;
            engine.scan(engine.variants(versions > 1).front(), everything, {7, count}, found);
            CHECK(found.items().size() == Candidates::kCapacity);
            CHECK(found.overflow() == (count > fit));
        }
    }
}

TEST_CASE("what fails in CUDA is a device error, and nothing leaks") {
    FakeRuntime& runtime = fresh_runtime();
    for (const char* function : {"cudaSetDevice", "cudaStreamCreate", "cudaEventCreate", "cudaMalloc", "cudaMallocHost",
                                 "cudaFuncGetAttributes", "cudaFuncSetAttribute", "cudaLaunchKernel"}) {
        INFO(function);
        runtime.errors[function] = cudaErrorUnknown;
        CHECK_THROWS_AS(open_device(), DeviceError);
        CHECK(runtime.alive == 0);
        runtime.errors.clear();
    }
    const auto device = open_device();
    const ScanJob job = job_of(BlockHeader{}, some_versions(1), 0);
    ScanResult result;
    for (const char* function : {"cudaSetDevice", "cudaMemsetAsync", "cudaLaunchKernel", "cudaMemcpyAsync",
                                 "cudaEventRecord", "cudaEventSynchronize"}) {
        INFO(function);
        runtime.errors[function] = cudaErrorLaunchFailure;
        CHECK_THROWS_AS(device->scan(job, {0, 1}, result), DeviceError);
        runtime.errors.clear();
    }
    CHECK_NOTHROW(device->scan(job, {0, 1}, result));
}
