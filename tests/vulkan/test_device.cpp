// Tests of the backend as the host sees it, its cache, and the shaders embedded in it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "host/search/self_test.hpp"
#include "vulkan/backend.hpp"
#include "vulkan/search.hpp"
#include "vulkan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The files of compiled shaders.
std::vector<std::filesystem::path> stored(const CacheFolder& cache) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.folder.path())) {
        if (entry.path().filename().string().starts_with("vulkan-pipelines")) files.push_back(entry.path());
    }
    return files;
}

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void works(const Probe& probe) {
    const BlockHeader header = random_headers(1, 50).front();
    const Oracle oracle(header, some_versions(1), {5, 100});
    const auto engine = vulkan::make_engine(probe);
    REQUIRE(scan(*engine, kVariant, job_of(header, some_versions(1), 0x3fffffff), {5, 100}) ==
            oracle.keys(1, {5, 100}, 0x3fffffff));
}

}  // namespace

TEST_CASE("what Vulkan devices say of themselves") {
    for (const Probe& probe : devices_here()) {
        const DeviceInfo& info = probe.info;
        INFO(info.name << ", " << info.model);
        CHECK(info.backend == "vulkan");
        CHECK_THAT(info.name,
                   Catch::Matchers::StartsWith("vulkan:") && ContainsSubstring("#" + std::to_string(probe.index)));
        CHECK_FALSE(info.model.empty());
        CHECK_FALSE(info.driver.empty());
        CHECK_THAT(info.api_version, Catch::Matchers::StartsWith("Vulkan 1."));
        CHECK(info.memory_bytes > 0);
        CHECK(info.units > 0);
        CHECK(info.uuid.size() == 32);
        CHECK(info.uuid.find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK(info.software == (info.kind == "cpu"));
        CHECK(probe.used_by_default == !info.software);
        CHECK(probe.reason.empty() == !info.software);
    }
}

TEST_CASE("the Vulkan backend opens its devices") {
    const CacheFolder cache;
    for (const Probe& probe : devices_here()) {
        CHECK(probe.tuned_rate == gpu::remembered_rate(probe.info));
        const auto device = kVulkanBackend.open(probe, {});
        CHECK(device->info().name == probe.info.name);
        CHECK(self_test(*device) == std::nullopt);
        CHECK(gpu::remembered_rate(probe.info) > 0);
        CHECK(kVulkanBackend.probe({}).at(probe.index).tuned_rate > 0);
    }
}

TEST_CASE("compiled Vulkan shaders are stored, and taken from there") {
    for (const Probe& probe : devices_here()) {
        const CacheFolder cache;
        works(probe);
        const auto files = stored(cache);
        REQUIRE(files.size() == 1);
        const std::string text = content(files[0]);
        // The driver's own header is in it: 32 bytes, version 1.
        REQUIRE(text.find(std::string("\x20\0\0\0\1\0\0\0", 8)) != std::string::npos);
        std::filesystem::last_write_time(files[0], {});
        works(probe);
        CHECK(content(files[0]) == text);
        CHECK(std::filesystem::last_write_time(files[0]) == std::filesystem::file_time_type{});  // not written again
    }
}

TEST_CASE("a damaged store of Vulkan shaders does no harm") {
    for (const Probe& probe : devices_here()) {
        const CacheFolder cache;
        works(probe);
        const auto files = stored(cache);
        REQUIRE(files.size() == 1);
        const std::string text = content(files[0]);
        for (const std::size_t place : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
            std::string damaged = text;
            damaged[place] = static_cast<char>(~damaged[place]);
            std::ofstream(files[0], std::ios::binary) << damaged;
            works(probe);
            CHECK(content(files[0]) == text);  // mended
        }
        std::ofstream(files[0], std::ios::binary) << text.substr(0, text.size() - 5);
        works(probe);
        CHECK(content(files[0]) == text);
        std::filesystem::remove(files[0]);
        std::filesystem::create_directory(files[0]);  // cannot be written
        works(probe);
    }
}

TEST_CASE("the Vulkan shaders are valid SPIR-V") {
    if (std::string(GPUMINER_SPIRV_VAL).empty()) {
        std::cout << "SKIPPED: spirv-val (spirv-tools) is not installed" << std::endl;
        return;
    }
    const TemporaryFolder folder;
    const std::string path = folder.path() / "shader.spv";
    for (const bool rolled : {false, true}) {
        for (const gpu::KernelVariant& variant : every_shader(64)) {
            const auto words = vulkan::shader(variant, rolled);
            folder.write("shader.spv", {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
            INFO(to_string(variant) << ", rolled: " << rolled);
            CHECK(std::system((GPUMINER_SPIRV_VAL " --target-env vulkan1.1 " + path).c_str()) == 0);
        }
    }
}
