// Tests without a loader, without drivers, and with drivers that cannot be loaded: a reason and a remedy, never a
// crash.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "cpu/machine/topology.hpp"
#include "opencl/backend.hpp"
#include "opencl_tools.hpp"
#include "tests/host/files/temporary_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// What the backend says, in a process of its own, when `folder` names the drivers.
std::string probe_with_vendors(const std::string& folder) {
    // ocl-icd reads the first variable; Khronos' loader takes folders as well.
    const std::string command = "OCL_ICD_VENDORS='" + folder + "' OPENCL_VENDOR_PATH='" + folder +
                                "' " GPUMINER_PROBE_OPENCL " 2>&1; echo exit code $?";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), size);
    ::pclose(pipe);
    return text;
}

std::string no_driver(const std::string& folder) {
    return "opencl unusable: no OpenCL driver is installed (OCL_ICD_VENDORS=" + folder +
           " names them); install your GPU's\nexit code 0\n";
}

}  // namespace

TEST_CASE("a loader that is not there is named, with the remedy") {
    constexpr std::array names = {"libOpenCL-not-here.so.1", "libOpenCL-nowhere.so"};
    CHECK(error_of<NoDeviceError>([&] { (void)opencl::load_api(names); }) ==
          "there is no OpenCL loader (libOpenCL-not-here.so.1 cannot be opened); install the driver of your GPU, and "
          "ocl-icd-libopencl1");
    CHECK(contains(error_of<NoDeviceError>([] { (void)opencl::load_api({}); }), "there is no OpenCL loader"));
}

TEST_CASE("a library that is no OpenCL loader is refused") {
    constexpr std::array names = {"libOpenCL-not-here.so.1", "libm.so.6"};
    CHECK(error_of<NoDeviceError>([&] { (void)opencl::load_api(names); }) ==
          "the OpenCL loader of this system is older than OpenCL 1.2 (clGetPlatformIDs is missing in it); install a "
          "newer ocl-icd-libopencl1");
}

TEST_CASE("without drivers the backend has one unusable device") {
    if (!has_loader()) return;
    const TemporaryFolder empty;
    CHECK(probe_with_vendors(empty.path()) == no_driver(empty.path()));
    CHECK(probe_with_vendors("/nonexistent/") == no_driver("/nonexistent/"));
}

TEST_CASE("drivers that cannot be loaded are named, also where a variable names them") {
    if (!has_loader()) return;
    const TemporaryFolder folder;
    folder.write("missing.icd", "/nonexistent/libdriver.so\n");
    folder.write("other.icd", "libm.so.6\n");  // a library, and no driver
    folder.write("damaged.so", "not a library");
    folder.write("damaged.icd", (folder.path() / "damaged.so").string() + "\n");
    folder.write("empty.icd", "");
    const std::string begin = "opencl unusable: the OpenCL driver of ", path = folder.path();
    const std::string all = probe_with_vendors(path);
    CHECK(std::ranges::count(all, '\n') == 5);
    for (const std::string& reason : {"/damaged.icd cannot be loaded (" + path + "/damaged.so: ",
                                      std::string("/empty.icd cannot be loaded (the file is empty)"),
                                      std::string("/missing.icd cannot be loaded (/nonexistent/libdriver.so: "),
                                      std::string("/other.icd cannot be loaded (libm.so.6 is no OpenCL driver")})
        CHECK(contains(all, begin + path + reason));
    const std::string one = probe_with_vendors(path + "/missing.icd");
    CHECK(contains(one, begin + path + "/missing.icd (OCL_ICD_VENDORS) cannot be loaded (/nonexistent/libdriver.so: "));
    CHECK(std::ranges::count(one, '\n') == 2);
    CHECK(contains(probe_with_vendors("/nonexistent/libdriver.so"),
                   begin + "OCL_ICD_VENDORS cannot be loaded (/nonexistent/libdriver.so: "));
}

TEST_CASE("drivers add no variable to the environment, which other threads read") {
    if (!has_loader()) return;
    CHECK_FALSE(cpu::usable_hardware_threads().empty());  // as every command begins
    const auto variables = [] {
        std::vector<std::string> names;
        for (const char* const* variable = environ; *variable != nullptr; ++variable)
            names.push_back(std::string(*variable).substr(0, std::string_view(*variable).find('=')));
        return names;
    };
    const auto before = variables();
    (void)kOpenclBackend.probe({});
    CHECK(variables() == before);
}
