// Tests of the list of devices: their names and numbers, and which of them are used.
#include "cli/report/devices_report.hpp"
#include "gpuminer_lists.hpp"
#include "host/abandonable_thread.hpp"
#include "tests/host/search/fake_apis.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr const char* kUuid = "00112233445566778899aabbccddeeff";
constexpr const char* kOtherUuid = "ffeeddccbbaa99887766554433221100";
constexpr const char* kPci = "0000:01:00.0";

/// Whether they are part of this build or not.
const std::string kKnownBackends[] = {
#define GPUMINER_KNOWN_BACKEND(capitalised, name, needs) name,
#include "gpuminer_known_backends.inc"
#undef GPUMINER_KNOWN_BACKEND
};

Probe gpu(const std::string& name, const std::string& uuid, const std::string& pci = "", double tuned_rate = 0) {
    Probe probe = probe_of(name);
    probe.info.uuid = uuid;
    probe.info.pci = pci;
    probe.tuned_rate = tuned_rate;
    return probe;
}

Probe software(const std::string& name, bool by_default = false) {
    Probe probe = probe_of(name);
    probe.info.software = true;
    probe.used_by_default = by_default;
    return probe;
}

std::vector<ListedDevice> listed(const DeviceSelection& selection, std::chrono::milliseconds patience = 60s) {
    return list_devices(kFakeBackends, selection, patience);
}

std::vector<std::string> used(const std::vector<ListedDevice>& devices) {
    std::vector<std::string> names;
    for (const ListedDevice& device : devices) {
        if (device.probe.usable && device.probe.used_by_default) names.push_back(device.probe.info.name);
    }
    return names;
}

const Probe& named(const std::vector<ListedDevice>& devices, const std::string& name) {
    for (const ListedDevice& device : devices) {
        if (device.probe.info.name == name) return device.probe;
    }
    throw std::runtime_error("not listed: " + name);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("devices are numbered through all backends, whichever are chosen") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.cpu, probe_of("cpu:a#1"));
    machine.has(machine.cuda, probe_of("cuda", "there is no driver; install one"));
    machine.has(machine.vulkan, probe_of("vulkan:discrete#0"));
    const auto all = listed(selection_of({"auto"}));
    REQUIRE(all.size() == 4);
    for (unsigned i = 0; i < 4; ++i) CHECK(all[i].number == i);
    CHECK(used(all) == Names{"cpu:a#0", "cpu:a#1", "vulkan:discrete#0"});
    CHECK(named(all, "cuda").reason == "there is no driver; install one");

    const auto vulkan = listed(selection_of({"vulkan"}));
    REQUIRE(vulkan.size() == 1);
    CHECK(vulkan[0].number == 3u);
    CHECK(find_devices(vulkan, {"3"}).front().probe.info.name == "vulkan:discrete#0");
    CHECK(contains(input_error([&] { (void)find_devices(vulkan, {"0"}); }),
                   "(3 vulkan:discrete#0), or a backend, got '0'"));
    CHECK_THROWS_AS(find_devices(all, {"cuda"}), NoDeviceError);
    CHECK_THROWS_AS(find_devices(all, {"2"}), NoDeviceError);
    CHECK(find_devices(all, {"3", "vulkan:discrete#0", "0"}).size() == 2);
}

TEST_CASE("no GPU backend is asked where only CPU devices are wanted") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.cuda, probe_of("cuda:sm_90#0"));
    CHECK(listed(selection_of({"cpu"})).size() == 1);
    CHECK(listed(selection_of({"auto"}, {"0"})).size() == 1);
    CHECK(listed(selection_of({"auto"}, {"cpu:a#0"})).size() == 1);
    CHECK(machine.cuda.probes == 0);
    CHECK(listed(selection_of({"auto"}, {"0", "1"})).size() == 2);
    CHECK(listed(selection_of({"cuda"})).size() == 1);
    CHECK(machine.cuda.probes == 2);
    CHECK(machine.opencl.probes == 1);
}

TEST_CASE("a GPU seen through several APIs is used once") {
    struct Row {
        const char* what;
        std::vector<Probe> probes;  // of cuda, opencl, vulkan
        Names wanted;
    };
    const std::vector<Row> rows{
        {"none tuned: the first API",
         {gpu("cuda:a#0", kUuid), gpu("opencl:gpu#0", kUuid), gpu("vulkan:discrete#0", kUuid)},
         {"cuda:a#0"}},
        {"all tuned: the fastest",
         {gpu("cuda:a#0", kUuid, "", 9e9), gpu("opencl:gpu#0", kUuid, "", 8e9),
          gpu("vulkan:discrete#0", kUuid, "", 9.5e9)},
         {"vulkan:discrete#0"}},
        {"one not tuned: the first API",
         {gpu("cuda:a#0", kUuid, "", 1e9), gpu("opencl:gpu#0", kUuid), gpu("vulkan:discrete#0", kUuid, "", 9e9)},
         {"cuda:a#0"}},
        {"the address, where one does not know its UUID",
         {gpu("cuda:a#0", kUuid, kPci), gpu("opencl:gpu#0", "", kPci), gpu("vulkan:discrete#0", kUuid)},
         {"cuda:a#0"}},
        {"different UUIDs at one address are different (parts of a GPU)",
         {gpu("cuda:a#0", kUuid, kPci), gpu("opencl:gpu#0", kOtherUuid, kPci)},
         {"cuda:a#0", "opencl:gpu#0"}},
        {"nothing known: different", {gpu("cuda:a#0", ""), gpu("opencl:gpu#0", "")}, {"cuda:a#0", "opencl:gpu#0"}},
        {"software is no alias",
         {gpu("cuda:a#0", kUuid),
          [] {
              Probe probe = software("opencl:cpu#0");
              probe.info.uuid = kUuid;
              return probe;
          }()},
         {"cuda:a#0"}},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        Machine machine;
        for (const Probe& probe : row.probes) {
            FakeApi& api = probe.info.backend == "cuda"     ? machine.cuda
                           : probe.info.backend == "opencl" ? machine.opencl
                                                            : machine.vulkan;
            machine.has(api, probe);
        }
        CHECK(used(listed(selection_of({"auto"}))) == row.wanted);
    }
}

TEST_CASE("an alias says of what, is used where it is named, and where only its backend is") {
    Machine machine;
    machine.has(machine.cuda, gpu("cuda:a#0", kUuid));
    machine.has(machine.opencl, gpu("opencl:gpu#0", kUuid));
    machine.has(machine.opencl, gpu("opencl:gpu#1", kOtherUuid));
    const auto all = listed(selection_of({"auto"}));
    CHECK(used(all) == Names{"cuda:a#0", "opencl:gpu#1"});
    CHECK(contains(named(all, "opencl:gpu#0").reason, "the same GPU as cuda:a#0, "));
    CHECK(used(listed(selection_of({"opencl"}))) == Names{"opencl:gpu#0", "opencl:gpu#1"});
    CHECK(find_devices(all, {"opencl:gpu#0", "cuda:a#0"}).size() == 2);
    // The same GPU twice through one API, as with two OpenCL drivers.
    machine.has(machine.opencl, gpu("opencl:gpu#2", kOtherUuid));
    CHECK(used(listed(selection_of({"opencl"}))) == Names{"opencl:gpu#0", "opencl:gpu#1"});
}

TEST_CASE("a device of a backend that has none is not usable, for the backend's reason") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.cuda, probe_of("cuda", "there is no driver; install one"));
    const auto all = listed(selection_of({"auto"}, {"cuda:sm_90#0"}));
    CHECK_THROWS_AS(find_devices(all, {"cuda:sm_90#0"}), NoDeviceError);
    CHECK_THROWS_WITH(find_devices(all, {"cuda:sm_90#0"}),
                      "device 'cuda:sm_90#0' cannot be used: there is no driver; install one");
    CHECK_THROWS_AS(find_devices(all, {"cudax"}), InputError);
}

TEST_CASE("a backend's name is all of its devices that would be used, and else all that can be") {
    Machine machine;
    Probe left_free = probe_of("cpu:a#1");
    left_free.used_by_default = false;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.cpu, left_free);
    machine.has(machine.cuda, gpu("cuda:a#0", kUuid));
    machine.has(machine.opencl, gpu("opencl:gpu#0", kUuid));
    machine.has(machine.opencl, software("opencl:cpu#0"));
    machine.has(machine.vulkan, software("vulkan:cpu#0"));
    const auto all = listed(selection_of({"auto"}));
    const auto found = [&](const Names& wanted) {
        Names names;
        for (const ListedDevice& device : find_devices(all, wanted)) names.push_back(device.probe.info.name);
        return names;
    };
    CHECK(found({"cpu"}) == Names{"cpu:a#0"});
    CHECK(found({"CUDA"}) == Names{"cuda:a#0"});
    CHECK(found({"opencl"}) == Names{"opencl:gpu#0"});  // the same GPU as CUDA's, and no software
    CHECK(found({"vulkan", "cpu", "CPU:A#1"}) == Names{"vulkan:cpu#0", "cpu:a#0", "cpu:a#1"});
    CHECK(contains(input_error([&] { (void)found({"vulcan"}); }), "did you mean vulkan?"));
}

TEST_CASE("software devices are used where only they can be meant") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.opencl, software("opencl:cpu#0", true));  // whatever its backend says
    machine.has(machine.vulkan, software("vulkan:cpu#0"));
    const auto all = listed(selection_of({"auto"}));
    CHECK(used(all) == Names{"cpu:a#0"});
    CHECK(contains(named(all, "opencl:cpu#0").reason, "runs on the CPU"));
    CHECK(used(listed(selection_of({"opencl"}))) == Names{"opencl:cpu#0"});
    CHECK(used(listed(selection_of({"cpu", "vulkan"}))) == Names{"cpu:a#0", "vulkan:cpu#0"});
    CHECK(named(listed(selection_of({"vulkan"})), "vulkan:cpu#0").reason.empty());
    CHECK(find_devices(all, {"vulkan:cpu#0"}).size() == 1);

    machine.has(machine.opencl, probe_of("opencl:gpu#1"));
    CHECK(used(listed(selection_of({"opencl"}))) == Names{"opencl:gpu#1"});
    // A real device that cannot be used is none.
    Machine other;
    other.has(other.opencl, probe_of("opencl:gpu#0", "its driver is too old; update it"));
    other.has(other.opencl, software("opencl:cpu#1"));
    CHECK(used(listed(selection_of({"opencl"}))) == Names{"opencl:cpu#1"});
}

TEST_CASE("a backend that does not answer is unusable, and one that throws as well") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.cuda.probe = [hang = machine.hang]() -> std::vector<Probe> {
        hang.wait();
        return {probe_of("cuda:late#0")};
    };
    machine.opencl.probe = []() -> std::vector<Probe> { throw std::runtime_error("the library is broken"); };
    machine.has(machine.vulkan, probe_of("vulkan:discrete#0"));
    const auto all = listed(selection_of({"auto"}), 200ms);
    CHECK(used(all) == Names{"cpu:a#0", "vulkan:discrete#0"});
    CHECK(contains(named(all, "cuda").reason, "its driver did not respond for 0.2 s; "));
    CHECK(named(all, "opencl").reason == "the library is broken");
    CHECK(any_abandoned_threads());
}

TEST_CASE("known backends that are not built in are listed without a number") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    const std::vector<const Backend*> only_cpu{&kFakeCpu};
    const auto all = list_devices(only_cpu, selection_of({"auto"}));
    REQUIRE(all.size() == std::size(kKnownBackends));
    for (const std::string& name : kKnownBackends) {
        if (name == kFakeCpu.name) continue;
        CHECK(contains(named(all, name).reason, "not part of this build; install "));
        CHECK_FALSE(named(all, name).usable);
    }
    CHECK_FALSE(all[1].number);
    CHECK_THROWS_AS(find_devices(all, {"cuda"}), NoDeviceError);
    CHECK(list_devices(only_cpu, selection_of({"vulkan"})).size() == 1);
    CHECK(list_devices(only_cpu, selection_of({"cpu"})).size() == 1);
    CHECK(contains(input_error([&] { (void)list_devices(only_cpu, selection_of({"tpu"})); }),
                   "--backend: expected auto, " GPUMINER_BACKEND_NAMES ", got 'tpu'"));
}

TEST_CASE("the table of devices fits 120 columns, whatever drivers say") {
    Probe probe = gpu("vulkan:integrated#12", kUuid, kPci);
    probe.info.model = std::string(300, 'M');
    probe.info.driver = "a driver with a name of some length and a version 123.456.78";
    probe.info.api_version = "Vulkan 1.3.280";
    probe.info.memory_bytes = 80ull << 30;
    probe.info.units = 132;
    probe.info.clock_mhz = 1980;
    probe.used_by_default = false;
    for (int i = 0; i < 40; ++i) probe.reason += "words and ";
    Probe short_reason = probe_of("cuda", "too old; update it");
    short_reason.info.model.clear();
    const std::string text = devices_text({{12, nullptr, probe}, {{}, nullptr, short_reason}});
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        longest = std::max(longest, end - begin);
        begin = end + 1;
    }
    CHECK(longest <= 120);
    CHECK(contains(text, "  80.0 GiB    132  1980 MHz  no\n"));
    CHECK(contains(text, "\n       Vulkan 1.3.280, a driver"));
    CHECK(contains(text, "00112233445566778899aabbccddeeff"));
    CHECK(contains(text, "unusable\n       too old; update it\n"));
    CHECK(contains(devices_text({{{}, nullptr, short_reason}}), "unusable  too old; update it\n"));
    probe.reason = std::string(500, 'x');  // no space to break at
    CHECK(contains(devices_text({{12, nullptr, probe}}), "x\n       xx"));
}
