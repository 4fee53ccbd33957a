// Tests of the reasons why there is no CUDA device, and of the generations that the build has code for.
#include <dlfcn.h>

#include <iostream>

#include "cuda/backend.hpp"
#include "cuda/driver.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::cuda;

TEST_CASE("each reason for having no CUDA device names its remedy") {
    DriverFacts facts;
    facts.runtime_version = 13000;
    CHECK(why_no_device(facts) ==
          "there is no NVIDIA driver (libcuda.so.1); install its version 580 or newer, or start the container with its "
          "GPUs");
    facts.driver_found = true;
    facts.driver_version = 12040;
    CHECK(why_no_device(facts) ==
          "the NVIDIA driver is too old, as it offers CUDA 12.4 and this program needs 13.0; install the driver's "
          "version 580 or newer");
    facts.driver_version = 13010;
    CHECK(why_no_device(facts) ==
          "/dev/nvidiactl does not exist; load the driver's kernel module (nvidia-smi does), or start the container "
          "with its GPUs");
    facts.node = DriverFacts::Node::forbidden;
    CHECK(why_no_device(facts) ==
          "this user may not open /dev/nvidiactl; have the user added to the group that may (ls -l /dev/nvidia* names "
          "it)");
    facts.node = DriverFacts::Node::usable;
    CHECK(why_no_device(facts) == "the NVIDIA driver has found no GPU; nvidia-smi lists those that it sees");
    facts.hidden = true;
    CHECK(why_no_device(facts) == "CUDA_VISIBLE_DEVICES hides every device; unset it");
    facts.error = "system has unsupported display driver / cuda driver combination";
    CHECK(why_no_device(facts) ==
          "CUDA cannot start (system has unsupported display driver / cuda driver combination); see whether nvidia-smi "
          "works, and if not, restart the machine");
}

TEST_CASE("a minor version of CUDA that is newer than the driver's will do") {
    DriverFacts facts;
    facts.driver_found = true;
    facts.runtime_version = 13020;
    facts.driver_version = 13000;
    CHECK(why_no_device(facts).find("too old") == std::string::npos);
    facts.driver_version = 12090;
    CHECK(why_no_device(facts).find("too old") != std::string::npos);
}

TEST_CASE("without a driver the CUDA probe gives one unusable device") {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library != nullptr) {
        dlclose(library);
        std::cout << "SKIPPED: there is a CUDA driver here" << std::endl;
        return;
    }
    const std::vector<Probe> probes = kCudaBackend.probe({});
    REQUIRE(probes.size() == 1);
    CHECK(probes[0].info.name == "cuda");
    CHECK(probes[0].info.backend == "cuda");
    CHECK_FALSE(probes[0].usable);
    CHECK(probes[0].reason.find("libcuda.so.1") != std::string::npos);
    CHECK_THROWS_AS(kCudaBackend.open(probes[0], {}), DeviceError);
}

TEST_CASE("the driver's version is found in /proc/driver/nvidia/version") {
    CHECK(driver_version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
                            "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n") == "535.183.01");
    CHECK(driver_version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  "
                            "(dvs-builder@U22-I3)  Sun Jul 27 06:54:38 UTC 2025\n") == "580.65.06");
    CHECK(driver_version_in("").empty());
    CHECK(driver_version_in("no version\n").empty());
    CHECK(driver_version_in("580").empty());
}

TEST_CASE("versions of CUDA as text") {
    CHECK(version_text(13000) == "13.0");
    CHECK(version_text(12040) == "12.4");
    CHECK(version_text(11080) == "11.8");
}

TEST_CASE("which devices a build has code for") {
    constexpr auto kCi = "90-real 120-real";
    CHECK(has_code_for(90, kCi));
    CHECK_FALSE(has_code_for(89, kCi));
    CHECK_FALSE(has_code_for(100, kCi));
    CHECK(has_code_for(120, kCi));
    CHECK(has_code_for(121, kCi));  // same major version, higher minor one
    constexpr auto kAll = "75-real 80-real 86-real 90-real 75-virtual";
    CHECK(has_code_for(75, kAll));
    CHECK(has_code_for(130, kAll));  // by PTX
    CHECK_FALSE(has_code_for(70, kAll));
    CHECK(has_code_for(100, "90"));  // both binary code and PTX
    CHECK_FALSE(has_code_for(100, ""));
    CHECK_FALSE(has_code_for(100, "all"));
}
