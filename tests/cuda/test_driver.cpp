// Tests of the reasons why there is no CUDA device, and of the choice between machine code and PTX.
#include <dlfcn.h>

#include <iostream>
#include <optional>

#include "cuda/backend.hpp"
#include "cuda/code.hpp"
#include "cuda/driver.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::cuda;

TEST_CASE("each reason for having no CUDA device names its remedy") {
    DriverFacts facts;
    CHECK(why_no_device(facts) ==
          "there is no NVIDIA driver (libcuda.so.1); install driver 418 or newer, or start the container with its "
          "GPUs");
    facts.load_error = "libcuda.so.1: file too short";
    CHECK(why_no_device(facts) == "the NVIDIA driver cannot be loaded (libcuda.so.1: file too short); reinstall it");
    facts.load_error.clear();
    facts.wsl = true;
    CHECK(why_no_device(facts) ==
          "there is no NVIDIA driver (libcuda.so.1); WSL 2 uses the driver of Windows: install 418 or newer there");
    facts.wsl = false;
    facts.driver_found = true;
    CHECK(why_no_device(facts) == "the NVIDIA driver is too old; install driver 418 or newer");
    facts.driver_usable = true;
    CHECK(why_no_device(facts) ==
          "/dev/nvidiactl does not exist; load the driver's kernel module (nvidia-smi does), or start the container "
          "with its GPUs");
    facts.node = DriverFacts::Node::forbidden;
    CHECK(why_no_device(facts) ==
          "this user may not open /dev/nvidiactl; add the user to the group that may (ls -l /dev/nvidia* names "
          "it, often video or render)");
    facts.node = DriverFacts::Node::usable;
    CHECK(why_no_device(facts) == "the NVIDIA driver has found no GPU; nvidia-smi lists the GPUs that it sees");
    facts.hidden = true;
    CHECK(why_no_device(facts) == "CUDA_VISIBLE_DEVICES hides every device; unset it");
    facts.error = "system has unsupported display driver / cuda driver combination";
    CHECK(why_no_device(facts) ==
          "CUDA cannot start (system has unsupported display driver / cuda driver combination); if nvidia-smi fails as "
          "well, restart the machine");
    facts.error = "unknown error (CUDA_ERROR_UNKNOWN)";
    facts.node = DriverFacts::Node::missing;
    CHECK(why_no_device(facts).starts_with(
        "CUDA cannot start (unknown error (CUDA_ERROR_UNKNOWN)); /dev/nvidiactl does not exist; load"));
    facts.wsl = true;  // which has no such file
    CHECK(
        why_no_device(facts) ==
        "CUDA cannot start (unknown error (CUDA_ERROR_UNKNOWN)); update NVIDIA's driver in Windows, which WSL 2 uses, "
        "and WSL itself (wsl --update)");
    facts.error.clear();
    facts.hidden = false;
    CHECK(why_no_device(facts) == "the NVIDIA driver has found no GPU; nvidia-smi lists the GPUs that it sees");
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

TEST_CASE("the driver that a version of CUDA takes") {
    CHECK(driver_for(10010) == "418 or newer");
    CHECK(driver_for(12090) == "525 or newer");
    CHECK(driver_for(13020) == "580 or newer");
    CHECK(driver_for(14000) == "of the newest version");
}

TEST_CASE("how old a driver is") {
    CHECK(year_of(9020) == 0);
    CHECK(year_of(10020) == 2019);
    CHECK(year_of(12020) == 2023);
    CHECK(year_of(13000) == 2025);
    CHECK(year_of(14000) == 0);
}

namespace {

const BuiltCode kBoth{.generations = {75, 80, 86, 90}, .nvcc_version = 13000, .ptx = true};

std::optional<CodeKind> kind_for(const BuiltCode& built, unsigned capability, int driver,
                                 std::string_view wanted = "auto") {
    return choose_code(built, capability, driver, wanted).kind;
}

}  // namespace

TEST_CASE("machine code runs on its generation, and on later ones of the same major version") {
    for (const unsigned capability : {75u, 80u, 86u, 87u, 89u, 90u})
        CHECK(kind_for(kBoth, capability, 13000) == CodeKind::kMachine);
    CHECK(choose_code(kBoth, 89, 13000, "auto").text == "machine code for sm_86");
    for (const unsigned capability : {50u, 61u, 70u, 100u, 121u})
        CHECK(kind_for(kBoth, capability, 13000) == CodeKind::kPtx);
    CHECK(choose_code(kBoth, 61, 13000, "auto").text == "PTX, compiled by the driver");
}

TEST_CASE("machine code takes a driver of the same major version of CUDA") {
    BuiltCode built = kBoth;
    built.nvcc_version = 13020;
    CHECK(kind_for(built, 90, 13000) == CodeKind::kMachine);
    const CodeChoice choice = choose_code(built, 90, 12040, "auto");
    CHECK(choice.kind == CodeKind::kPtx);
    CHECK(choice.text ==
          "PTX, compiled by the driver (machine code needs the NVIDIA driver 580 or newer, but this one offers CUDA "
          "12.4)");
    CHECK(choose_code(built, 90, 12040, "ptx").text == "PTX, compiled by the driver");
    CHECK(choose_code(built, 90, 12040, "machine").text ==
          "machine code needs the NVIDIA driver 580 or newer, but this one offers CUDA 12.4");
}

TEST_CASE("where neither kind of code runs, the remedy is named") {
    CHECK(choose_code(kBoth, 37, 11040, "auto").text ==
          "its compute capability 3.7 is older than the code of this program, which begins with 5.0");
    CHECK(choose_code(kBoth, 61, 9020, "auto").text ==
          "the NVIDIA driver is too old: it offers CUDA 9.2, but this program needs 10.1; install driver "
          "418 or newer");
    const BuiltCode machine_only{.generations = {90}, .nvcc_version = 13000, .ptx = false};
    CHECK(choose_code(machine_only, 61, 13000, "auto").text ==
          "this build has no machine code for compute capability 6.1; build it with GPUMINER_CUDA_ARCHITECTURES=61");
    CHECK(choose_code(machine_only, 90, 13000, "ptx").text == "this build has no PTX; build it where clang is");
    const BuiltCode ptx_only{.generations = {}, .nvcc_version = 0, .ptx = true};
    CHECK(kind_for(ptx_only, 90, 13000) == CodeKind::kPtx);
    CHECK(choose_code(ptx_only, 90, 13000, "machine").text ==
          "this build has no machine code for GPUs; build it where nvcc is");
}
