// Tests of the engine with the checker, in the places that are OpenCL's own; tests/backends has every range and target.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "opencl_tools.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::uint32_t kQuarter = 0x3fffffff;

Keys keys_of(const Candidates& found) {
    Keys keys;
    for (const Candidate& candidate : found.items()) keys.emplace_back(candidate.version_index, candidate.nonce);
    std::sort(keys.begin(), keys.end());
    return keys;
}

/// Calls `test(engine, variant)` for every device, with every variant it offers for the form.
template <class Test>
void for_each_variant(bool rolled, Test test) {
    for (const opencl::ListedDevice& device : devices_here()) {
        const auto engine = opencl::make_engine(opencl::system_api(), device);
        const auto variants = engine->variants(rolled);
        REQUIRE_FALSE(variants.empty());
        for (const gpu::KernelVariant& variant : variants) {
            INFO(engine->info().name << ", " << to_string(variant));
            engine->prepare(variant, rolled);
            test(*engine, variant);
        }
    }
}

Keys scan(gpu::Engine& engine, const gpu::KernelVariant& variant, const Sha256dJob& job, NonceRange range) {
    Candidates found;
    engine.scan(variant, job, range, found);
    REQUIRE_FALSE(found.overflow());
    return keys_of(found);
}

/// Where vectors, work groups, bytes of the nonce and the range end.
const std::vector<NonceRange> kRanges = {
    {0, 1},           {0, 15},           {0, 16},         {3, 17},          {0xf9, 64},       {0xffed, 1023},
    {0x00fffff5, 50}, {0x7ffffff9, 500}, {0xffffffff, 1}, {0xfffffff0, 16}, {0xffffffef, 17}, {0xfffffbff, 1025},
};

void check_ranges(std::uint32_t versions) {
    const BlockHeader header = random_headers(1, 40).front();
    const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
    for_each_variant(versions > 1, [&](gpu::Engine& engine, const gpu::KernelVariant& variant) {
        for (const NonceRange range : kRanges) {
            INFO(versions << " versions, " << range.count << " nonces from " << range.first);
            const Oracle oracle(header, some_versions(versions), range);
            REQUIRE(scan(engine, variant, job, range) == oracle.keys(versions, range, kQuarter));
        }
    });
}

}  // namespace

TEST_CASE("OpenCL finds what the checker finds, one header") { check_ranges(1); }

TEST_CASE("OpenCL finds what the checker finds, several versions") {
    for (const std::uint32_t versions : {2u, 3u, 7u, 8u, 9u}) check_ranges(versions);
}

namespace {

/// The driver's own devices, which call themselves GPUs, or CPUs that like vectors of `vector_width` lanes.
struct Played {
    cl_device_type type;
    cl_uint width = 1;
    cl_uint vendor = 0x1002;  // AMD's number
    std::string platform = "a platform", driver = "1.0";
    cl_device_feature_capabilities_intel intel_features = 0;
    std::vector<std::size_t> sub_groups = {};
};
Played actor;

opencl::Api played_api(Played played) {
    actor = std::move(played);
    opencl::Api api = opencl::system_api();
    api.GetDeviceInfo = [](cl_device_id device, cl_device_info property, std::size_t room, void* place,
                           std::size_t* size) -> cl_int {
        if (property == CL_DRIVER_VERSION) return give(actor.driver + '\0', room, place, size);
        if (property == CL_DEVICE_FEATURE_CAPABILITIES_INTEL) return give(actor.intel_features, room, place, size);
        if (property == CL_DEVICE_SUB_GROUP_SIZES_INTEL) return give(actor.sub_groups, room, place, size);
        const cl_int status = opencl::system_api().GetDeviceInfo(device, property, room, place, size);
        if (property == CL_DEVICE_TYPE && place != nullptr) *static_cast<cl_device_type*>(place) = actor.type;
        if (property == CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT && place != nullptr)
            *static_cast<cl_uint*>(place) = actor.width;
        if (property == CL_DEVICE_VENDOR_ID && place != nullptr) *static_cast<cl_uint*>(place) = actor.vendor;
        return status;
    };
    api.GetPlatformInfo = [](cl_platform_id platform, cl_platform_info property, std::size_t room, void* place,
                             std::size_t* size) -> cl_int {
        if (property == CL_PLATFORM_NAME) return give(actor.platform + '\0', room, place, size);
        return opencl::system_api().GetPlatformInfo(platform, property, room, place, size);
    };
    // Nothing is kept for another start: PoCL would compile once more for that, and it takes its time over these.
    api.GetProgramInfo = [](auto...) -> cl_int { return CL_INVALID_VALUE; };
    return api;
}

using Mixes = std::set<gpu::Mix>;

/// The mixes of `tried`, for one header and for several versions, with the first size of group offered.
void check_kernel(const opencl::Api& api, unsigned width, const Mixes& offered, const Mixes& tried) {
    const BlockHeader header = random_headers(1, 43).front();
    const NonceRange range{0xffffffff - 299, 300};
    for (const std::uint32_t versions : {1u, 3u}) {
        const Oracle oracle(header, some_versions(versions), range);
        const auto engine = opencl::make_engine(api, opencl::list_devices(api).front());
        Mixes seen;
        for (const gpu::KernelVariant& variant : engine->variants(versions > 1)) {
            REQUIRE(variant.width == width);
            if (!seen.insert(variant.mix).second || tried.count(variant.mix) == 0) continue;
            INFO(versions << " versions, " << to_string(variant));
            engine->prepare(variant, versions > 1);
            REQUIRE(scan(*engine, variant, job_of(header, some_versions(versions), kQuarter), range) ==
                    oracle.keys(versions, range, kQuarter));
        }
        REQUIRE(seen == offered);
    }
}

}  // namespace

TEST_CASE("the OpenCL kernels for GPUs") {
    if (devices_here().empty()) return;
    const opencl::Api api = played_api({.type = CL_DEVICE_TYPE_GPU, .vendor = 0x10de});  // NVIDIA's number
    // These two have each verb in each of its forms.
    const std::vector<gpu::Mix> offered = gpu::nvidia_mixes().front();
    check_kernel(api, 1, Mixes(offered.begin(), offered.end()), {gpu::Mix::kPlain, gpu::Mix::kAddsShiftsRotations});
    // Other vendors' GPUs multiply slowly.
    check_kernel(played_api({.type = CL_DEVICE_TYPE_GPU}), 1, {gpu::Mix::kPlain}, {});
}

TEST_CASE("the OpenCL kernel with an instruction of AMD's GPUs is for drivers whose compilers were counted") {
    if (devices_here().empty()) return;
    const std::string amd = "AMD Accelerated Parallel Processing";
    for (const char* const version : {"3452.0 (HSA1.1,LC)", "3649.0 (HSA1.1,LC)"}) {
        const bool first = std::string(version).starts_with("3452");  // one is enough to be run
        check_kernel(played_api({.type = CL_DEVICE_TYPE_GPU, .platform = amd, .driver = version}), 1,
                     {gpu::Mix::kPlain, gpu::Mix::kBfi}, first ? Mixes{gpu::Mix::kBfi} : Mixes{});
    }
    const std::vector<Played> others = {{.type = CL_DEVICE_TYPE_GPU, .platform = amd, .driver = "3635.0 (HSA1.1,LC)"},
                                        {.type = CL_DEVICE_TYPE_GPU, .platform = "rusticl", .driver = "3649.0"},
                                        {.type = CL_DEVICE_TYPE_CPU, .platform = amd, .driver = "3649.0 (HSA1.1,LC)"}};
    for (const Played& other : others) check_kernel(played_api(other), 1, {gpu::Mix::kPlain}, {});
}

TEST_CASE(
    "the OpenCL kernel with an instruction of Intel's GPUs is for those that have it, and a compiler that was "
    "counted") {
    if (devices_here().empty()) return;
    const Played arc{.type = CL_DEVICE_TYPE_GPU,
                     .vendor = 0x8086,
                     .platform = "Intel(R) OpenCL HD Graphics",
                     .driver = "22.43.24595.41",
                     .intel_features = CL_DEVICE_FEATURE_FLAG_DP4A_INTEL | CL_DEVICE_FEATURE_FLAG_DPAS_INTEL,
                     .sub_groups = {8, 16, 32}};
    check_kernel(played_api(arc), 1, {gpu::Mix::kPlain, gpu::Mix::kBfn}, {gpu::Mix::kBfn});
    std::vector<Played> others(4, arc);
    others[0].driver = "23.17.26241.22";
    others[1].intel_features = CL_DEVICE_FEATURE_FLAG_DP4A_INTEL;  // Xe-LP
    others[2].sub_groups = {16, 32};
    others[3].sub_groups.clear();  // the driver knows of no such property
    for (const Played& other : others) check_kernel(played_api(other), 1, {gpu::Mix::kPlain}, {});
}

TEST_CASE("the OpenCL kernels for CPUs, each width of vector") {
    if (devices_here().empty()) return;
    for (const cl_uint width : {4, 8, 16}) {
        const opencl::Api api = played_api({.type = CL_DEVICE_TYPE_CPU, .width = width});
        check_kernel(api, width, {gpu::Mix::kPlain}, {gpu::Mix::kPlain});
    }
    for (const cl_uint width : {1, 2}) {  // the kernel for GPUs, without mixing
        const opencl::Api api = played_api({.type = CL_DEVICE_TYPE_CPU, .width = width});
        check_kernel(api, 1, {gpu::Mix::kPlain}, {});
    }
}

TEST_CASE("OpenCL adds to the candidates that are there, and says when they do not fit") {
    const BlockHeader header = random_headers(1, 41).front();
    const Sha256dJob job = job_of(header, {1}, 0xffffffff);  // every nonce is a candidate
    for_each_variant(false, [&](gpu::Engine& engine, const gpu::KernelVariant& variant) {
        constexpr std::uint32_t kFitting = Candidates::kCapacity;
        Candidates found;
        engine.scan(variant, job, {7, kFitting - 3}, found);
        engine.scan(variant, job, {7 + kFitting - 3, 3}, found);
        REQUIRE_FALSE(found.overflow());
        const Keys keys = keys_of(found);
        REQUIRE(keys.size() == kFitting);
        for (std::uint32_t i = 0; i < kFitting; ++i) REQUIRE(keys[i] == std::pair(0u, 7 + i));
        engine.scan(variant, job, {0, 1}, found);
        REQUIRE(found.overflow());
        for (const std::uint32_t more : {kFitting + 1, 50 * kFitting}) {
            Candidates overflowing;
            engine.scan(variant, job, {0, more}, overflowing);
            REQUIRE(overflowing.overflow());
        }
        REQUIRE(scan(engine, variant, job, {5, 200}).size() == 200);  // more than come with the end of a launch
        REQUIRE(scan(engine, variant, job, {5, 127}).size() == 127);
        REQUIRE(scan(engine, variant, job, {5, 128}).size() == 128);
    });
}

TEST_CASE("OpenCL takes more versions than fit into one launch") {
    const BlockHeader header = random_headers(1, 42).front();
    Versions versions(1030);
    for (std::uint32_t v = 0; v < versions.size(); ++v) versions[v] = 0x20000000 + (v << 13);
    const NonceRange range{0xabc, 5};
    const Oracle oracle(header, versions, range);
    const Sha256dJob job = job_of(header, versions, kQuarter);
    for_each_variant(true, [&](gpu::Engine& engine, const gpu::KernelVariant& variant) {
        REQUIRE(scan(engine, variant, job, range) == oracle.keys(1030, range, kQuarter));
        // Not all of them fit, and some are in every launch.
        Candidates found;
        engine.scan(variant, job_of(header, versions, 0xffffffff), {0, 100}, found);
        REQUIRE(found.overflow());
    });
}

TEST_CASE("OpenCL scans only what is prepared") {
    for (const opencl::ListedDevice& device : devices_here()) {
        const auto engine = opencl::make_engine(opencl::system_api(), device);
        Candidates found;
        CHECK_THROWS_AS(engine->scan(engine->variants(false).front(), job_of(BlockHeader{}, {1}, 0), {0, 1}, found),
                        DeviceError);
    }
}
