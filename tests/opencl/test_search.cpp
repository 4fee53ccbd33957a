// Tests of the compiled kernel and its cache, and of the errors when a driver fails.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/files/cache.hpp"
#include "opencl_tools.hpp"
#include "tests/environment.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

namespace fs = std::filesystem;

/// Counts programs by where they come from; otherwise the real driver.
unsigned from_text, from_binary;
opencl::Api counting_api() {
    from_text = from_binary = 0;
    opencl::Api api = opencl::system_api();
    api.CreateProgramWithSource = [](auto... arguments) {
        ++from_text;
        return opencl::system_api().CreateProgramWithSource(arguments...);
    };
    api.CreateProgramWithBinary = [](auto... arguments) {
        ++from_binary;
        return opencl::system_api().CreateProgramWithBinary(arguments...);
    };
    return api;
}

/// Makes an engine, prepares its first variant, and has it prove that it works.
void prepare_and_scan(const opencl::Api& api, const opencl::ListedDevice& device) {
    const auto engine = opencl::make_engine(api, device);
    const gpu::KernelVariant variant = engine->variants(false).front();
    engine->prepare(variant, false);
    const BlockHeader header = random_headers(1, 50).front();
    const NonceRange range{1000, 100};
    Candidates found;
    engine->scan(variant, job_of(header, {1}, 0x0fffffff), range, found);
    const Versions versions{1};
    REQUIRE(found.items().size() == Oracle(header, versions, range).keys(1, range, 0x0fffffff).size());
}

std::vector<fs::path> cached_programs(const fs::path& home) {
    std::vector<fs::path> files;
    if (!fs::is_directory(home / "gpuminer")) return files;
    for (const auto& entry : fs::directory_iterator(home / "gpuminer"))
        if (entry.path().filename().string().rfind("opencl-", 0) == 0) files.push_back(entry.path());
    return files;
}

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("a program is built once and then taken from the cache, and built again if that is damaged") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    const opencl::ListedDevice& device = devices.front();
    const TemporaryFolder folder;
    const Environment home("XDG_CACHE_HOME", folder.path().c_str());
    const opencl::Api api = counting_api();
    prepare_and_scan(api, device);
    CHECK(from_text == 1);
    CHECK(from_binary == 0);
    const auto files = cached_programs(folder.path());
    REQUIRE(files.size() == 1);

    prepare_and_scan(api, device);
    CHECK(from_text == 1);
    CHECK(from_binary == 1);

    // Damaged in the middle: never given to the driver, which may not survive it.
    const std::string whole = content_of(files.front());
    std::string damaged = whole;
    for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 50; ++i)
        damaged[i] = static_cast<char>(~damaged[i]);
    for (const std::string& content : {damaged, whole.substr(0, whole.size() - 1), whole + "x", std::string()}) {
        from_text = from_binary = 0;
        std::ofstream(files.front(), std::ios::binary | std::ios::trunc) << content;
        prepare_and_scan(api, device);
        CHECK(from_text == 1);
        CHECK(from_binary == 0);
        CHECK(content_of(files.front()).size() > 1000);  // written anew
    }

    // A whole file that is no program: the driver says so, or its kernel is not there.
    const std::string key = whole.substr(0, whole.find('\n'));
    write_cache("opencl", key, "not a program");
    from_text = from_binary = 0;
    prepare_and_scan(api, device);
    CHECK(from_binary == 1);
    CHECK(from_text == 1);
    CHECK(read_cache("opencl", key) != "not a program");
}

TEST_CASE("without a folder for the cache the program is built each time") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    const TemporaryFolder folder;
    folder.write("file", "not a folder");
    for (const char* const name : {"file", "file/below"}) {
        const Environment home("XDG_CACHE_HOME", (folder.path() / name).c_str());
        const opencl::Api api = counting_api();
        prepare_and_scan(api, devices.front());
        prepare_and_scan(api, devices.front());
        CHECK(from_text == 2);
        CHECK(from_binary == 0);
    }
}

TEST_CASE("a program that does not build is reported with the beginning of the compiler's log") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    const TemporaryFolder folder;
    const Environment home("XDG_CACHE_HOME", folder.path().c_str());
    opencl::Api api = opencl::system_api();
    api.CreateProgramWithSource = [](cl_context context, cl_uint, const char**, const std::size_t*, cl_int* status) {
        const char* text = "__kernel void search() { undeclared_name = 1; }";
        return opencl::system_api().CreateProgramWithSource(context, 1, &text, nullptr, status);
    };
    const std::string error = error_of<DeviceError>([&] { prepare_and_scan(api, devices.front()); });
    INFO(error);
    CHECK(contains(error, "OpenCL could not build the kernel from its text: "));
    CHECK(contains(error, "undeclared_name"));
    CHECK(contains(error, "(CL_BUILD_PROGRAM_FAILURE)"));
    CHECK_FALSE(contains(error, "\n"));
    CHECK(error.size() < 600);
    CHECK(cached_programs(folder.path()).empty());

    api.CreateProgramWithSource = [](cl_context context, cl_uint, const char**, const std::size_t*, cl_int* status) {
        const char* text = "__kernel void another() {}";
        return opencl::system_api().CreateProgramWithSource(context, 1, &text, nullptr, status);
    };
    CHECK(error_of<DeviceError>([&] { prepare_and_scan(api, devices.front()); }) ==
          "OpenCL could not take the kernel from its text (CL_INVALID_KERNEL_NAME)");
}

TEST_CASE("a driver that fails is reported with what was attempted") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    const auto message = [&](auto break_it) {
        opencl::Api api = opencl::system_api();
        break_it(api);
        return error_of<DeviceError>([&] { prepare_and_scan(api, devices.front()); });
    };
    CHECK(message([](opencl::Api& api) {
              api.CreateContext = [](auto, auto, auto, auto, auto, cl_int* status) -> cl_context {
                  *status = CL_DEVICE_NOT_AVAILABLE;
                  return nullptr;
              };
          }) == "OpenCL could not open the device (CL_DEVICE_NOT_AVAILABLE)");
    CHECK(message([](opencl::Api& api) {
              api.CreateBuffer = [](auto, auto, auto, auto, cl_int* status) -> cl_mem {
                  *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
                  return nullptr;
              };
          }) == "OpenCL could not allocate the table of versions (CL_MEM_OBJECT_ALLOCATION_FAILURE)");
    CHECK(message([](opencl::Api& api) {
              api.EnqueueNDRangeKernel = [](auto...) -> cl_int { return CL_OUT_OF_RESOURCES; };
          }) == "OpenCL could not start the kernel (CL_OUT_OF_RESOURCES)");
    CHECK(message([](opencl::Api& api) { api.Flush = [](auto...) -> cl_int { return -9999; }; }) ==
          "OpenCL could not hand its commands to the device (OpenCL status -9999)");
    // A device that is lost once the kernel has been started.
    CHECK(message([](opencl::Api& api) {
              api.SetEventCallback = [](auto...) -> cl_int { return CL_OUT_OF_RESOURCES; };
              api.GetEventInfo = [](auto, auto, auto, void* status, auto) -> cl_int {
                  const cl_int complete = CL_COMPLETE;  // so that asking would find nothing wrong
                  std::memcpy(status, &complete, sizeof complete);
                  return CL_SUCCESS;
              };
          }) == "OpenCL could not run the kernel (CL_OUT_OF_RESOURCES)");
    // A kernel that was started and failed, as the driver calls back to say.
    CHECK(message([](opencl::Api& api) {
              api.SetEventCallback = [](cl_event event, cl_int, auto call_back, void* data) -> cl_int {
                  call_back(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, data);
                  return CL_SUCCESS;
              };
          }) == "OpenCL could not run the kernel (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)");
}

TEST_CASE("a driver that never calls back is asked") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    static void* data_of_last_call;  // what it would have called back with: the test takes care of it
    static void(CL_CALLBACK * call_back_of_last_call)(cl_event, cl_int, void*);
    opencl::Api api = opencl::system_api();
    api.SetEventCallback = [](cl_event, cl_int, auto call_back, void* data) -> cl_int {
        if (data_of_last_call != nullptr) call_back_of_last_call(nullptr, CL_COMPLETE, data_of_last_call);  // late
        call_back_of_last_call = call_back;
        data_of_last_call = data;
        return CL_SUCCESS;
    };
    prepare_and_scan(api, devices.front());
    REQUIRE(data_of_last_call != nullptr);
    call_back_of_last_call(nullptr, CL_COMPLETE, data_of_last_call);
    data_of_last_call = nullptr;
}

TEST_CASE("so is a driver that cannot call back, as Wine's") {
    const auto devices = devices_here();
    if (devices.empty()) return;
    opencl::Api api = opencl::system_api();
    api.SetEventCallback = [](cl_event, cl_int, auto, void*) -> cl_int { return CL_INVALID_OPERATION; };
    prepare_and_scan(api, devices.front());
}
