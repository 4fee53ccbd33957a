// Tests of devices that fail, and of machines without Vulkan: the messages.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "host/search/self_test.hpp"
#include "vulkan/drivers.hpp"
#include "vulkan_tools.hpp"

#ifdef GPUMINER_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

using namespace gpuminer;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string only_reason(const std::vector<Probe>& probes) {
    REQUIRE(probes.size() == 1);
    REQUIRE_FALSE(probes[0].usable);
    REQUIRE(probes[0].info.backend == "vulkan");
    return probes[0].reason;
}

/// What comes of a scan with the fault.
std::string failure(const Probe& probe, const char* fault) {
    const Environment environment("FAULT", fault);
    try {
        const auto engine = vulkan::make_engine(probe, GPUMINER_FAULTY_LOADER);
        engine->prepare(kVariant, false);
        Candidates found;
        engine->scan(kVariant, job_of({}, {1}, 0), {0, 1}, found);
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("without the Vulkan loader there is one unusable probe") {
    const auto probes = vulkan::probe_devices("libno-such-vulkan.so.1");
    REQUIRE(only_reason(probes) ==
            "the Vulkan loader (libno-such-vulkan.so.1) is not installed; install it (Debian and Ubuntu: libvulkan1) "
            "and the GPU's driver");
    REQUIRE(probes[0].info.name == "vulkan");
}

TEST_CASE("without a Vulkan driver there is one unusable probe") {
    if (devices_here().empty()) return;
    const Environment old_name("VK_ICD_FILENAMES", "/nonexistent/driver.json");
    const Environment new_name("VK_DRIVER_FILES", "/nonexistent/driver.json");
    const auto probes = vulkan::probe_devices();
    REQUIRE_THAT(only_reason(probes), ContainsSubstring("no Vulkan driver works here; install the GPU's"));
    REQUIRE(probes[0].info.name == "vulkan");
}

TEST_CASE("a Vulkan device that cannot be used says why") {
    if (devices_here().empty()) return;
    const auto reason = [](const char* fault) {
        const Environment environment("FAULT", fault);
        return only_reason(vulkan::probe_devices(GPUMINER_FAULTY_LOADER));
    };
    CHECK(reason("no device") == "no Vulkan driver found a GPU; if there is one, install its driver");
    CHECK(reason("old") == "its driver offers Vulkan 1.0.65, but 1.1 is needed; install a newer driver");
    CHECK(reason("only draws") == "it cannot compute, only draw; another API may offer more of it");
    CHECK_THAT(reason("instance"), ContainsSubstring("Vulkan cannot start"));
}

TEST_CASE("a Vulkan device that fails says so") {
    const auto probes = devices_here();
    if (probes.empty()) return;
    const Probe& probe = probes.front();
    CHECK(failure(probe, "none") == "");
    CHECK(failure(probe, "lost") == "the GPU was lost: its driver has reset it, or it was removed");
    CHECK_THAT(failure(probe, "submit"),
               ContainsSubstring("Vulkan failed (") && ContainsSubstring("ErrorOutOfDeviceMemory"));
    CHECK(failure(probe, "other") == "Vulkan lists other devices than before; restart gpuminer");
    CHECK(failure(probe, "only draws") == "it cannot compute, only draw");
    CHECK_THAT(failure(probe, "instance"), ContainsSubstring("Vulkan cannot start"));
}

TEST_CASE("a Vulkan launch that does not end is given up") {
    const auto probes = devices_here();
    if (probes.empty()) return;
#ifdef GPUMINER_LEAK_SANITIZER
    const __lsan::ScopedDisabler what_it_uses_stays;
#endif
    const Environment environment("FAULT", "timeout");
    const auto engine = vulkan::make_engine(probes.front(), GPUMINER_FAULTY_LOADER);
    const Sha256dJob job = job_of({}, {1}, 0);
    engine->prepare(kVariant, false);
    Candidates found;
    REQUIRE_THROWS_WITH(engine->scan(kVariant, job, {0, 1}, found), ContainsSubstring("it has not responded for"));
    REQUIRE_THROWS_WITH(engine->scan(kVariant, job, {0, 1}, found), "it no longer responds");
    REQUIRE_THROWS_WITH(engine->prepare(kVariant, true), "it no longer responds");
}

TEST_CASE("setups for a Vulkan GPU are its driver's, and keep to its limits") {
    if (devices_here().empty()) return;
    using Mixes = std::set<gpu::Mix>;
    struct Row {
        const char* played;
        gpu::Mix first;
        Mixes mixes;
    };
    const std::vector<gpu::Mix> multiplying = gpu::nvidia_mixes().front();
    const std::vector<Row> rows = {{"discrete", gpu::Mix::kPlain, {gpu::Mix::kPlain}},
                                   {"nvidia", gpu::Mix::kAdds, Mixes(multiplying.begin(), multiplying.end())},
                                   {"radv", gpu::Mix::kRadv, {gpu::Mix::kRadv, gpu::Mix::kPlain}}};
    for (const auto& [played, first, mixes] : rows) {
        const Environment environment("FAULT", played);
        const Probe probe = vulkan::probe_devices(GPUMINER_FAULTY_LOADER).front();
        REQUIRE(probe.info.name == "vulkan:discrete#0");
        REQUIRE(probe.used_by_default);
        const auto engine = vulkan::make_engine(probe, GPUMINER_FAULTY_LOADER);
        for (const bool rolled : {false, true}) {
            const auto variants = engine->variants(rolled);
            REQUIRE(variants.front().mix == first);
            REQUIRE(variants.size() >= 2 * mixes.size());  // sizes of groups
            Mixes seen;
            for (const gpu::KernelVariant& variant : variants) {
                REQUIRE(variant.width == 1);
                seen.insert(variant.mix);
            }
            REQUIRE(seen == mixes);
            const Sha256dJob job = job_of({}, some_versions(rolled ? 2 : 1), 0xffffffff);
            REQUIRE(scan(*engine, variants.front(), job, {0, 5}).size() == (rolled ? 10 : 5));
        }
    }
}

TEST_CASE("a Vulkan GPU of RADV gets the shaders for it, and they pass the self-test") {
    if (devices_here().empty()) return;
    const CacheFolder cache;
    const Environment environment("FAULT", "radv");
    const Probe probe = vulkan::probe_devices(GPUMINER_FAULTY_LOADER).front();
    const auto device = gpu::make_gpu_device(vulkan::make_engine(probe, GPUMINER_FAULTY_LOADER), {.tuning_seconds = 0});
    for (const bool rolled : {false, true}) {
        const auto variant = gpu::variant_of(*device, rolled);
        REQUIRE(variant);
        CHECK(variant->mix == gpu::Mix::kRadv);
    }
    CHECK(self_test(*device) == std::nullopt);
}

TEST_CASE("a GPU's device node that may not be opened is noticed") {
    const TemporaryFolder folder;
    REQUIRE_FALSE(vulkan::forbidden_node(folder.path() / "missing"));
    folder.write("card0", "");
    folder.write("renderD128", "");
    REQUIRE(::chmod((folder.path() / "card0").c_str(), 0) == 0);
    REQUIRE_FALSE(vulkan::forbidden_node(folder.path()));
    REQUIRE(::chmod((folder.path() / "renderD128").c_str(), 0) == 0);
    if (::geteuid() == 0) {
        std::cout << "SKIPPED: root may open every file" << std::endl;
        return;
    }
    REQUIRE(vulkan::forbidden_node(folder.path()) == folder.path() / "renderD128");
}

TEST_CASE("whether no installed driver can find a GPU is read from the files that name them") {
    const Environment files("VK_DRIVER_FILES", nullptr);
    const Environment names("VK_ICD_FILENAMES", nullptr);
    const Environment more("VK_ADD_DRIVER_FILES", nullptr);
    const TemporaryFolder folder, second, nodes;
    const auto install = [](const TemporaryFolder& where, const char* file) {
        std::ofstream(where.path() / file) << "{}";
    };
    const auto only_software = [&] {
        return vulkan::only_software_drivers(std::vector{folder.path(), second.path(), folder.path() / "missing"},
                                             nodes.path());
    };
    CHECK_FALSE(only_software());  // none at all: another sentence
    install(folder, "README");
    install(folder, "lvp_icd.x86_64.json");
    install(second, "radeon_icd.x86_64.json");
    CHECK(only_software());
    {
        const Environment named("VK_ICD_FILENAMES", "/tmp/fake.json");
        CHECK_FALSE(only_software());
    }
    install(nodes, "card0");
    CHECK(only_software());
    {
        install(nodes, "renderD128");
        CHECK_FALSE(only_software());
        std::filesystem::remove(nodes.path() / "renderD128");
    }
    install(second, "nvidia_icd.json");
    CHECK_FALSE(only_software());
}
