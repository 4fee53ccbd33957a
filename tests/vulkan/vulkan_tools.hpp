// Helpers of the Vulkan backend's tests.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/host/files/cache_folder.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"
#include "vulkan/engine.hpp"
#include "vulkan/probe.hpp"

namespace gpuminer::test {

/// The variant that the tests here compile.
inline constexpr gpu::KernelVariant kVariant{gpu::Mix::kPlain, 32, 64};

/// Drivers and layers are unloaded with the last instance, and LeakSanitizer then no longer knows whose the memory is
/// that they leave behind. So they stay.
inline void keep_drivers_loaded() {
    const vulkan::Vulkan vulkan;
    const vk::raii::PhysicalDevices devices(vulkan.instance());
    const auto keep = [](dl_phdr_info* library, std::size_t, void*) {
        (void)dlopen(library->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        return 0;
    };
    dl_iterate_phdr(keep, nullptr);
}

/// The usable devices; a line that says why, where there is none.
inline std::vector<Probe> devices_here() {
    std::vector<Probe> probes = vulkan::probe_devices();
    std::string reasons;
    for (const Probe& probe : probes) {
        if (!probe.usable) reasons += " " + probe.reason;
    }
    std::erase_if(probes, [](const Probe& probe) { return !probe.usable; });
    if (probes.empty()) std::cout << "SKIPPED vulkan:" << reasons << std::endl;
    if (!probes.empty()) keep_drivers_loaded();
    return probes;
}

/// What an engine finds with a variant, which it prepares.
inline Keys scan(gpu::Engine& engine, const gpu::KernelVariant& variant, const Sha256dJob& job, NonceRange range) {
    engine.prepare(variant, job.rolled());
    Candidates found;
    engine.scan(variant, job, range, found);
    REQUIRE_FALSE(found.overflow());
    Keys keys;
    for (const Candidate& c : found.items()) keys.emplace_back(c.version_index, c.nonce);
    std::sort(keys.begin(), keys.end());
    return keys;
}

/// Every shader, on a CPU too: the GPUs' with each mix, and that for software.
inline std::vector<gpu::KernelVariant> every_shader(unsigned group) {
    std::vector<gpu::KernelVariant> variants;
    for (const gpu::Mix mix : gpu::kMixes) {
        if (mix < gpu::Mix::kBfi) variants.push_back({mix, 1, group});  // OpenCL's
    }
    variants.push_back({gpu::Mix::kPlain, 32, group});
    return variants;
}

}  // namespace gpuminer::test
