// Tests of the CUDA backend's host side over a fake driver (fake_driver.hpp).
#include <cstdlib>
#include <iostream>

#include "cuda/backend.hpp"
#include "cuda/code.hpp"
#include "cuda/engine.hpp"
#include "cuda/launch.hpp"
#include "fake_driver.hpp"
#include "host/gpu/engine.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr cuda::Result kUnknown = 999;
const bool kMachineCode = !cuda::built_code().generations.empty();  // for sm_90, if there is any
constexpr std::uint32_t kQuarter = 0x3fffffff;                      // a quarter of all nonces passes

/// A driver with one device, and none of what an earlier test has set.
FakeDriver& fresh_driver() {
    REQUIRE(fake_driver().alive == 0);
    fake_driver() = FakeDriver{};
    fake_driver().devices.emplace_back();
    return fake_driver();
}

Probe only_probe(const DeviceOptions& options = {}) {
    const std::vector<Probe> probes = kCudaBackend.probe(options);
    REQUIRE(probes.size() == 1);
    return probes.front();
}

/// Opened with as little tuning as possible, whatever is remembered of it.
std::unique_ptr<Device> open_device(DeviceOptions options = {}) {
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
    fresh_driver();
    const Probe probe = only_probe();
    CHECK(probe.usable);
    CHECK(probe.used_by_default);
    CHECK(probe.reason.empty());
    CHECK(probe.info.name == "cuda:sm_90#0");
    CHECK(probe.info.backend == "cuda");
    CHECK(probe.info.kind == "sm_90");
    CHECK_FALSE(probe.info.is_cpu());
    CHECK(probe.info.model == "Fake H200");
    CHECK(probe.info.api_version == "CUDA 13.0");
    CHECK(probe.info.code == (kMachineCode ? "machine code for sm_90" : "PTX, compiled by the driver"));
    CHECK(probe.info.driver.starts_with("NVIDIA"));
    CHECK(probe.info.memory_bytes == std::uint64_t{139} << 30);
    CHECK(probe.info.units == 132);
    CHECK(probe.info.clock_mhz == 1980);
    CHECK(probe.info.pci == "0000:1a:00.0");
    CHECK(probe.info.uuid == "f8f9fafbfcfdfeff0001020304050607");
    CHECK_FALSE(probe.info.software);
}

TEST_CASE("CUDA devices that cannot be used say why") {
    FakeDriver& driver = fresh_driver();
    SECTION("the build has no code for it") {
        driver.devices[0].attributes[cuda::kComputeCapabilityMajor] = 3;
        CHECK(only_probe().info.name == "cuda:sm_30#0");
        CHECK(only_probe().reason.find(
                  "its compute capability 3.0 is older than the code of this program, which begins with 5.0") !=
              std::string::npos);
    }
    SECTION("computing is prohibited") {
        driver.devices[0].attributes[cuda::kComputeMode] = cuda::kComputeModeProhibited;
        CHECK(only_probe().reason ==
              "its compute mode is \"prohibited\"; nvidia-smi -i 0000:1a:00.0 -c DEFAULT allows it");
    }
    SECTION("it does not answer") {
        driver.errors["cuDeviceGetAttribute"] = kUnknown;
        CHECK(only_probe().info.name == "cuda:unknown#0");
        CHECK(only_probe().reason.find(
                  "does not respond (asking for the compute capability failed: a fake error (CUDA_ERROR_FAKE))") !=
              std::string::npos);
    }
    SECTION("CUDA cannot start") {
        driver.errors["cuInit"] = kUnknown;
        CHECK(only_probe().info.name == "cuda");
        CHECK_FALSE(only_probe().reason.empty());
    }
    SECTION("there is none") {
        driver.devices.clear();
        CHECK(only_probe().info.name == "cuda");
        CHECK_FALSE(only_probe().reason.empty());
    }
    CHECK_FALSE(only_probe().usable);
}

TEST_CASE("several CUDA devices are numbered") {
    FakeDriver& driver = fresh_driver();
    driver.devices.emplace_back();
    driver.devices.back().attributes[cuda::kComputeCapabilityMajor] = 12;
    const std::vector<Probe> probes = kCudaBackend.probe({});
    REQUIRE(probes.size() == 2);
    CHECK(probes[0].info.name == "cuda:sm_90#0");
    CHECK(probes[1].info.name == "cuda:sm_120#1");
    CHECK(probes[1].index == 1);
}

TEST_CASE("a CUDA device finds what OpenSSL finds, with every setup") {
    FakeDriver& driver = fresh_driver();
    const auto device = open_device();
    gpu::Engine& engine = *gpu::engine_of(*device);
    const BlockHeader header = random_headers(1, 40).front();
    constexpr NonceRange kRange{0xfffffc01, 0x3ff};                    // up to the last nonce of all
    constexpr std::uint32_t kVersions = cuda::kVersionsPerLaunch + 3;  // two launches
    const Oracle oracle(header, some_versions(kVersions), kRange);
    for (const std::uint32_t versions : {1u, 2u, 8u, cuda::kVersionsPerLaunch, kVersions}) {
        const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
        for (const gpu::KernelVariant& variant : engine.variants(job.rolled())) {
            INFO(versions << " versions, " << gpu::to_string(variant));
            engine.prepare(variant, job.rolled());
            driver.launches.clear();
            Candidates found;
            engine.scan(variant, job, kRange, found);
            REQUIRE(keys_of(found) == oracle.keys(versions, kRange, kQuarter));
            REQUIRE(driver.launches.size() == (versions == kVersions ? 2 : 1));
            const unsigned shared_bytes = job.rolled() ? cuda::kSharedBytesPerThread * variant.group : 0;
            REQUIRE(driver.launches[0] ==
                    cuda::kernel_name(variant.mix, job.rolled()) + ", " + std::to_string(1024 / variant.group) +
                        " blocks of " + std::to_string(variant.group) + ", " + std::to_string(shared_bytes) + " bytes");
        }
    }
}

TEST_CASE("more CUDA candidates than fit are an overflow") {
    fresh_driver();
    const auto device = open_device();
    gpu::Engine& engine = *gpu::engine_of(*device);
    const BlockHeader header = random_headers(1, 41).front();
    for (const std::uint32_t versions : {1u, 2u}) {
        const Sha256dJob everything = job_of(header, some_versions(versions), 0xffffffff);
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
    FakeDriver& driver = fresh_driver();
    for (const char* function :
         {"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuStreamCreate", "cuEventCreate", "cuMemAlloc",
          "cuMemAllocHost", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel"}) {
        INFO(function);
        driver.errors[function] = kUnknown;
        CHECK_THROWS_AS(open_device(), DeviceError);
        CHECK(driver.alive == 0);
        driver.errors.clear();
    }
    driver.errors["cuFuncSetAttribute"] = kUnknown;  // a wish
    const auto device = open_device();
    const Sha256dJob job = job_of(BlockHeader{}, some_versions(1), 0);
    ScanResult result;
    for (const char* function : {"cuCtxSetCurrent", "cuMemsetD32Async", "cuLaunchKernel", "cuMemcpyDtoHAsync",
                                 "cuEventRecord", "cuEventSynchronize"}) {
        INFO(function);
        driver.errors[function] = kUnknown;
        CHECK_THROWS_AS(device->scan(job, {0, 1}, result), DeviceError);
        driver.errors.clear();
    }
    CHECK_NOTHROW(device->scan(job, {0, 1}, result));
}

TEST_CASE("what the driver's compiler says is part of the error") {
    FakeDriver& driver = fresh_driver();
    driver.errors["cuModuleLoadDataEx"] = kUnknown;
    driver.compiler_says = "ptxas fatal : no";
    CHECK_THROWS_WITH(open_device(),
                      Catch::Matchers::Contains("loading the kernel failed: a fake error "
                                                "(CUDA_ERROR_FAKE); its compiler says: ptxas fatal : no"));
}

TEST_CASE("a GPU runs machine code or PTX, as the driver allows and the user wants") {
    FakeDriver& driver = fresh_driver();
    if (!cuda::built_code().ptx) {
        std::cout << "SKIPPED: this build has no PTX, as there was no clang" << std::endl;
        return;
    }
    std::string expected = kMachineCode ? "machine code" : "PTX";
    DeviceOptions options;
    SECTION("machine code where the driver is new enough") {}
    SECTION("PTX where it is not") {
        driver.version = 12020;
        expected = "PTX";
    }
    SECTION("PTX on an older GPU") {
        driver.devices[0].attributes[cuda::kComputeCapabilityMajor] = 6;
        expected = "PTX";
    }
    SECTION("PTX where it is wanted") {
        options.cuda_code = "ptx";
        expected = "PTX";
    }
    SECTION("PTX where CUDA's own variable wants it") {
        setenv("CUDA_FORCE_PTX_JIT", "1", 1);
        expected = "PTX";
    }
    const Probe probe = only_probe(options);
    const auto engine = cuda::make_engine(probe, options);
    unsetenv("CUDA_FORCE_PTX_JIT");
    CHECK(probe.info.description == expected);
    for (const gpu::KernelVariant& variant : engine->variants(true)) engine->prepare(variant, true);
    REQUIRE_FALSE(driver.loaded.empty());
    for (const std::string& module : driver.loaded) CHECK(module.starts_with(expected + " rolled_"));
    // Before Volta a multiplication takes several instructions.
    const bool old = driver.devices[0].attributes[cuda::kComputeCapabilityMajor] < 7;
    CHECK(engine->variants(false).size() == (old ? 2 : 8));
    CHECK(driver.loaded.size() == (old ? 1 : 4));  // each once
}
