// Tests of DeviceInfo made of what a driver reports; the driver is a fake where this machine has no such device.
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "opencl/backend.hpp"
#include "opencl/drivers.hpp"
#include "opencl_tools.hpp"
#include "tests/environment.hpp"
#include "tests/host/files/temporary_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::opencl;
using namespace gpuminer::test;

namespace {

using Properties = std::map<cl_device_info, std::string>;  // as bytes

template <class T>
std::string bytes(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& value) { return value + '\0'; }

std::vector<Properties> played_devices;

/// A loader with one driver, whose devices are `devices`.
Api played(std::vector<Properties> devices) {
    played_devices = std::move(devices);
    Api api;
    api.GetPlatformIDs = [](cl_uint room, cl_platform_id* place, cl_uint* count) -> cl_int {
        if (count != nullptr) *count = 1;
        if (place != nullptr && room > 0) *place = nullptr;
        return CL_SUCCESS;
    };
    api.GetPlatformInfo = [](cl_platform_id, cl_platform_info property, std::size_t room, void* place,
                             std::size_t* size) -> cl_int {
        return property == CL_PLATFORM_NAME ? give(text("Acme GPUs"), room, place, size) : CL_INVALID_VALUE;
    };
    api.GetDeviceIDs = [](cl_platform_id, cl_device_type, cl_uint room, cl_device_id* place, cl_uint* count) -> cl_int {
        if (played_devices.empty()) return CL_DEVICE_NOT_FOUND;
        if (count != nullptr) *count = static_cast<cl_uint>(played_devices.size());
        for (cl_uint i = 0; i < room; ++i) place[i] = reinterpret_cast<cl_device_id>(&played_devices[i]);
        return CL_SUCCESS;
    };
    api.GetDeviceInfo = [](cl_device_id device, cl_device_info property, std::size_t room, void* place,
                           std::size_t* size) -> cl_int {
        const Properties& properties = *reinterpret_cast<const Properties*>(device);
        const auto found = properties.find(property);
        return found == properties.end() ? CL_INVALID_VALUE : give(found->second, room, place, size);
    };
    return api;
}

Properties good_gpu() {
    return {{CL_DEVICE_TYPE, bytes<cl_device_type>(CL_DEVICE_TYPE_GPU)},
            {CL_DEVICE_NAME, text("  GPU 3000 ")},
            {CL_DRIVER_VERSION, text("7.8")},
            {CL_DEVICE_VERSION, text("OpenCL 1.2 ACME")},
            {CL_DEVICE_AVAILABLE, bytes<cl_bool>(CL_TRUE)},
            {CL_DEVICE_COMPILER_AVAILABLE, bytes<cl_bool>(CL_TRUE)},
            {CL_DEVICE_ENDIAN_LITTLE, bytes<cl_bool>(CL_TRUE)},
            {CL_DEVICE_GLOBAL_MEM_SIZE, bytes<cl_ulong>(8ull << 30)},
            {CL_DEVICE_MAX_COMPUTE_UNITS, bytes<cl_uint>(40)},
            {CL_DEVICE_MAX_CLOCK_FREQUENCY, bytes<cl_uint>(1980)}};
}

Properties with(Properties properties, const Properties& changes) {
    for (const auto& [property, value] : changes) properties[property] = value;
    return properties;
}

Probe only_probe(const Properties& properties) {
    const auto listed = list_devices(played({properties}));
    REQUIRE(listed.size() == 1);
    return listed.front().probe;
}

}  // namespace

TEST_CASE("the devices of this machine") {
    const auto devices = devices_here();
    std::set<std::string> names;
    for (const ListedDevice& device : devices) {
        const DeviceInfo& info = device.probe.info;
        INFO(info.name);
        CHECK(names.insert(info.name).second);
        CHECK(info.name.rfind("opencl:", 0) == 0);
        CHECK(info.backend == "opencl");
        CHECK_FALSE(info.model.empty());
        CHECK_FALSE(info.driver.empty());
        CHECK(info.api_version.rfind("OpenCL ", 0) == 0);
        CHECK(info.memory_bytes > 0);
        CHECK(info.units > 0);
        CHECK(info.software == contains(info.name, ":cpu#"));
        CHECK(device.probe.used_by_default == !info.software);
        CHECK(device.probe.reason.empty() == device.probe.used_by_default);
    }
}

TEST_CASE("what a driver says of a GPU") {
    const Probe probe = only_probe(good_gpu());
    CHECK(probe.usable);
    CHECK(probe.used_by_default);
    CHECK(probe.reason.empty());
    CHECK(probe.info.name == "opencl:gpu#0");
    CHECK(probe.info.model == "GPU 3000");
    CHECK(probe.info.driver == "Acme GPUs 7.8");
    CHECK(probe.info.api_version == "OpenCL 1.2");
    CHECK(probe.info.memory_bytes == 8ull << 30);
    CHECK(probe.info.units == 40);
    CHECK(probe.info.clock_mhz == 1980);
    CHECK(probe.info.pci.empty());
    CHECK(probe.info.uuid.empty());
    CHECK_FALSE(probe.info.software);
}

TEST_CASE("devices are numbered over all kinds, and CPUs are software") {
    const auto cpu = with(good_gpu(), {{CL_DEVICE_TYPE, bytes<cl_device_type>(CL_DEVICE_TYPE_CPU)}});
    const auto other = with(good_gpu(), {{CL_DEVICE_TYPE, bytes<cl_device_type>(CL_DEVICE_TYPE_ACCELERATOR)}});
    const auto listed = list_devices(played({cpu, good_gpu(), other}));
    REQUIRE(listed.size() == 3);
    CHECK(listed[0].probe.info.name == "opencl:cpu#0");
    CHECK(listed[1].probe.info.name == "opencl:gpu#1");
    CHECK(listed[2].probe.info.name == "opencl:accelerator#2");
    CHECK(listed[0].probe.info.software);
    CHECK(listed[0].probe.info.clock_mhz == 0);  // not asked for
    CHECK(listed[0].probe.usable);
    CHECK_FALSE(listed[0].probe.used_by_default);
    CHECK(contains(listed[0].probe.reason, "runs on the CPU"));
    CHECK(contains(listed[0].probe.reason, "name it with -d"));
}

TEST_CASE("PCI address and UUID, by each extension that tells them") {
    std::array<unsigned char, 16> uuid{0xab, 0xcd};
    uuid[15] = 0x07;
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_khr_fp64 cl_khr_device_uuid")},
                                       {CL_DEVICE_UUID_KHR, bytes(uuid)}}))
              .info.uuid == "abcd0000000000000000000000000007");
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_khr_device_uuid")},
                                       {CL_DEVICE_UUID_KHR, std::string(16, '\0')}}))
              .info.uuid.empty());  // a driver that does not know it
    // Not without its extension: the number may mean something else there.
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_UUID_KHR, bytes(uuid)}})).info.uuid.empty());

    const cl_device_pci_bus_info_khr khr{1, 0x3b, 2, 1};
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_khr_pci_bus_info")},
                                       {CL_DEVICE_PCI_BUS_INFO_KHR, bytes(khr)}}))
              .info.pci == "0001:3b:02.1");
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_nv_device_attribute_query")},
                                       {0x4008, bytes<cl_uint>(0x21)},
                                       {0x4009, bytes<cl_uint>(8 * 3 + 1)},
                                       {0x400A, bytes<cl_uint>(0)}}))
              .info.pci == "0000:21:03.1");
    cl_device_topology_amd topology{};
    topology.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
    topology.pcie.bus = static_cast<cl_char>(0xc3);
    const Probe amd = only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_amd_device_attribute_query")},
                                                   {CL_DEVICE_BOARD_NAME_AMD, text("Acme Board")},
                                                   {CL_DEVICE_TOPOLOGY_AMD, bytes(topology)}}));
    CHECK(amd.info.pci == "0000:c3:00.0");
    CHECK(amd.info.model == "Acme Board");
    // An extension whose property the driver does not answer.
    CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_EXTENSIONS, text("cl_khr_pci_bus_info cl_khr_device_uuid")}}))
              .info.pci.empty());
}

TEST_CASE("devices that cannot be used say why") {
    const std::vector<std::pair<Properties, std::string>> cases = {
        {{{CL_DEVICE_AVAILABLE, bytes<cl_bool>(CL_FALSE)}}, "unavailable"},
        {{{CL_DEVICE_COMPILER_AVAILABLE, bytes<cl_bool>(CL_FALSE)}}, "no compiler for OpenCL C"},
        {{{CL_DEVICE_ENDIAN_LITTLE, bytes<cl_bool>(CL_FALSE)}}, "big-endian"},
        {{{CL_DEVICE_VERSION, text("OpenCL 1.1 ACME")}}, "OpenCL 1.2 is needed, but its driver has OpenCL 1.1"},
        {{{CL_DEVICE_VERSION, text("OpenCL 0.9")}}, "its driver has OpenCL 0.9"},
        {{{CL_DEVICE_VERSION, text("")}}, "its driver has no version"},
        {{{CL_DEVICE_VERSION, text("nonsense")}}, "OpenCL 1.2 is needed"},
    };
    for (const auto& [changes, reason] : cases) {
        const Probe probe = only_probe(with(good_gpu(), changes));
        INFO(probe.reason);
        CHECK_FALSE(probe.usable);
        CHECK(contains(probe.reason, reason));
        CHECK(contains(probe.reason, ";"));  // and the remedy
    }
    for (const char* const version : {"OpenCL 1.2", "OpenCL 2.0 x", "OpenCL 3.0 y", "OpenCL 10.0"})
        CHECK(only_probe(with(good_gpu(), {{CL_DEVICE_VERSION, text(version)}})).usable);
    CHECK_FALSE(only_probe({}).usable);  // a driver that answers nothing
}

TEST_CASE("drivers that see no device, or fail, are named") {
    const Api api = played({});
    CHECK(contains(error_of<NoDeviceError>([&] { (void)list_devices(api); }),
                   "the OpenCL drivers of this system (Acme GPUs) see no device; check"));
    std::vector<std::string> silent;  // each, as others may have devices
    CHECK_THROWS_AS(list_devices(api, &silent), NoDeviceError);
    REQUIRE(silent.size() == 1);
    CHECK(contains(silent[0], "the OpenCL driver Acme GPUs opens no device (CL_DEVICE_NOT_FOUND); check"));
    CHECK(contains(silent[0], "groups render and video"));
    Api failing = played({good_gpu()});
    failing.GetDeviceIDs = [](auto...) -> cl_int { return CL_OUT_OF_HOST_MEMORY; };
    failing.GetPlatformInfo = [](auto...) -> cl_int { return CL_INVALID_PLATFORM; };
    CHECK(
        contains(error_of<NoDeviceError>([&] { (void)list_devices(failing); }), "(one without a name) see no device"));
}

TEST_CASE("a driver that is there, but offers the loader nothing, is named") {
    if (!has_loader()) return;
    const TemporaryFolder folder;
    const Environment vendors("OCL_ICD_VENDORS", folder.path().c_str());
    const Environment names("OCL_ICD_FILENAMES", nullptr);
    Api none = played({});
    none.GetPlatformIDs = [](auto...) -> cl_int { return CL_PLATFORM_NOT_FOUND_KHR; };
    CHECK(contains(error_of<NoDeviceError>([&] { (void)list_devices(none); }), "no OpenCL driver is installed"));
    folder.write("broken.icd", "libnothing-of-the-kind.so.1\n");
    CHECK(contains(error_of<NoDeviceError>([&] { (void)list_devices(none); }), "no OpenCL driver is installed"));
    folder.write("intel.icd", "libOpenCL.so.1\n");  // a loader has a driver's functions
    CHECK(contains(error_of<NoDeviceError>([&] { (void)list_devices(none); }),
                   folder.path().string() + "/intel.icd) see no device; check that you may open"));
    CHECK(loadable_drivers("/nonexistent") == std::vector{folder.path().string() + "/intel.icd"});
}

TEST_CASE("the backend opens what it has listed, and nothing else") {
    if (devices_here().empty()) return;
    DeviceOptions options;
    options.tuning_seconds = 0;
    for (const Probe& probe : kOpenclBackend.probe(options)) {
        if (!probe.usable) continue;
        const auto device = kOpenclBackend.open(probe, options);
        CHECK(device->info().name == probe.info.name);
        CHECK(device->info().model == probe.info.model);
        CHECK(device->batch() > 0);
    }
    Probe gone;
    gone.info.name = "opencl:gpu#77";
    CHECK(contains(error_of<DeviceError>([&] { (void)kOpenclBackend.open(gone, options); }), "opencl:gpu#77"));
}

TEST_CASE("whether all installed drivers are PoCL is read from the files that name them") {
    const Environment vendors("OCL_ICD_VENDORS", nullptr);
    const Environment names("OCL_ICD_FILENAMES", nullptr);
    const Environment path("OPENCL_VENDOR_PATH", nullptr);
    const TemporaryFolder folder;
    const auto install = [&](const char* file, const char* library) { std::ofstream(folder.path() / file) << library; };
    CHECK_FALSE(only_software_drivers(folder.path() / "missing"));
    CHECK_FALSE(only_software_drivers(folder.path()));  // none at all: another sentence
    install("README", "libnvidia-opencl.so.1\n");
    install("pocl.icd", "libpocl.so.2.10.0");
    CHECK(only_software_drivers(folder.path()));
    install("pocl2.icd", "/usr/lib/x86_64-linux-gnu/libpocl.so.2\n");
    CHECK(only_software_drivers(folder.path()));
    {
        const Environment named("OCL_ICD_FILENAMES", "libfake.so");
        CHECK_FALSE(only_software_drivers(folder.path()));
    }
    install("nvidia.icd", "libnvidia-opencl.so.1\n");
    CHECK_FALSE(only_software_drivers(folder.path()));
}

TEST_CASE("a driver that is named and cannot be loaded is told with its file and the reason") {
    const Environment vendors("OCL_ICD_VENDORS", nullptr);
    const Environment names("OCL_ICD_FILENAMES", nullptr);
    const Environment path("OPENCL_VENDOR_PATH", nullptr);
    const TemporaryFolder folder;
    const auto install = [&](const char* file, const char* text) { std::ofstream(folder.path() / file) << text; };
    CHECK(broken_drivers(folder.path()).empty());
    if (!has_loader()) return;
    install("good.icd", "libOpenCL.so.1\n");  // a loader has a driver's functions
    std::filesystem::create_directory(folder.path() / "folder.icd");
    REQUIRE(::mkfifo((folder.path() / "pipe.icd").c_str(), 0600) == 0);
    install("library.icd", "libc.so.6\n");
    install("not-there.icd", "libnothing-of-the-kind.so.1\n");
    install("nothing.icd", "");
    std::filesystem::create_symlink(folder.path() / "nowhere", folder.path() / "to-nothing.icd");
    const std::vector<std::string> broken = broken_drivers(folder.path());
    REQUIRE(broken.size() == 6);
    CHECK(contains(broken[0], "folder.icd cannot be loaded (it is a folder)"));
    CHECK(contains(broken[1], "library.icd cannot be loaded (libc.so.6 is no OpenCL driver, as it lacks "));
    CHECK(contains(broken[2], "not-there.icd cannot be loaded (libnothing-of-the-kind.so.1: "));
    CHECK(contains(broken[2], "No such file or directory); reinstall"));
    CHECK(contains(broken[3], "nothing.icd cannot be loaded (the file is empty)"));
    CHECK(contains(broken[4], "pipe.icd cannot be loaded (it is no regular file)"));
    CHECK(contains(broken[5], "to-nothing.icd cannot be loaded (No such file or directory)"));
    {
        const Environment more("OCL_ICD_FILENAMES", "libOpenCL.so.1:libfake.so");  // libraries beside these
        const std::vector<std::string> with_more = broken_drivers(folder.path());
        REQUIRE(with_more.size() == 7);
        CHECK(contains(with_more[6], "the OpenCL driver of OCL_ICD_FILENAMES cannot be loaded (libfake.so: "));
    }
    {
        const Environment file("OCL_ICD_VENDORS", "not-there.icd");  // one of them
        REQUIRE(broken_drivers(folder.path()).size() == 1);
        CHECK(
            contains(broken_drivers(folder.path())[0], "not-there.icd (OCL_ICD_VENDORS) cannot be loaded (libnothing"));
        CHECK(contains(broken_drivers(folder.path())[0], "or change that variable"));
    }
    const Environment other("OPENCL_VENDOR_PATH", folder.path().c_str());
    CHECK(broken_drivers("/nonexistent") == broken);
    const Environment library("OCL_ICD_VENDORS", "libfake.so");  // in place of all
    REQUIRE(broken_drivers(folder.path()).size() == 1);
    CHECK(contains(broken_drivers(folder.path())[0],
                   "the OpenCL driver of OCL_ICD_VENDORS cannot be loaded (libfake.so: "));
}

TEST_CASE("where nobody would use a software device, PoCL alone is not loaded") {
    if (!only_software_drivers()) {
        std::cout << "SKIPPED: this system has other OpenCL drivers than PoCL, or none" << std::endl;
        return;
    }
    DeviceOptions options;
    options.software = false;
    const auto probes = kOpenclBackend.probe(options);
    REQUIRE(probes.size() == 1);
    CHECK_FALSE(probes.front().usable);
    CHECK(contains(probes.front().reason, "--backend opencl"));
}
