// Tests of a fleet's choice of devices, and of its reports about the others, on simulated threads.
#include "fake_apis.hpp"
#include "tests/messages.hpp"
#include "tests/simulation/simulated_test.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Names = std::vector<std::string>;

std::string no_device_error(const std::function<void()>& action) {
    try {
        action();
    } catch (const NoDeviceError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a short search is over before any GPU is looked for") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"));
        machine.has(machine.cuda, probe_of("cuda:a#0"));
        FleetTimes times = quick_to_find();
        times.head_start = 60s;
        Fleet fleet(kFakeBackends, selection_of({"auto"}), times);
        CHECK(Search(request_of(PartitionMode::kDynamic, Goal::kFirst, 0, 99'999), fleet).run().hits.size() == 1);
        CHECK(machine.cuda.probes == 0);
    });
}

TEST_CASE("a GPU that fails through one API is used through another") {
    on_simulated_threads([] {
        constexpr const char* kCardUuid = "00112233445566778899aabbccddeeff";
        for (const bool opens : {false, true}) {  // or fails its self-test
            INFO(opens);
            for (const PartitionMode mode : kModes) {
                Machine machine;
                Probe cuda = probe_of("cuda:a#0"), opencl = probe_of("opencl:gpu#0");
                cuda.info.uuid = opencl.info.uuid = kCardUuid;
                Behaviour wrong;
                wrong.tamper_self_test = [](const Sha256dJob&, NonceRange, ScanResult& result) { result.clear(); };
                machine.has(machine.cuda, cuda, wrong);
                if (!opens)
                    machine.cuda.open = [](const Probe&) -> std::unique_ptr<Device> {
                        throw DeviceError("out of order");
                    };
                machine.has(machine.opencl, opencl);
                const auto request = request_of(mode, Goal::kAll, 0, 4'999);
                Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
                Search search(request, fleet);
                const auto report = search.run();
                CHECK(report.ending == Ending::kFinished);
                CHECK(keys_of(report) == oracle(request));
                CHECK(names_of(report).back() == "opencl:gpu#0");
            }
        }
    });
}

TEST_CASE("where no device can be used, all reasons are given") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cuda, probe_of("cuda", "there is no driver; install one"));
        machine.has(machine.opencl, probe_of("opencl:gpu#0", "its driver is too old; update it"));
        const auto reasons = no_device_error([] { Fleet(kFakeBackends, selection_of({"auto"}), quick_to_find()); });
        CHECK(
            reasons ==
            "no usable device; cuda: there is no driver; install one; opencl:gpu#0: its driver is too old; update it");

        // One opens in vain: that is known only while the search waits for it.
        machine.has(machine.vulkan, probe_of("vulkan:discrete#0"));
        machine.vulkan.open = [](const Probe&) -> std::unique_ptr<Device> {
            pass_time(30ms);
            throw DeviceError("it has no memory left");
        };
        Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
        Search search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 999), fleet);
        const auto later = no_device_error([&] { (void)search.run(); });
        CHECK(contains(later, "no usable device; "));
        CHECK(contains(later, "vulkan:discrete#0: it has no memory left"));
        CHECK(contains(later, "cuda: there is no driver; install one"));

        const std::vector<const Backend*> only_cpu{&kFakeCpu};
        CHECK(contains(no_device_error([&] { Fleet(only_cpu, selection_of({"cuda"}), quick_to_find()); }),
                       "no usable device; cuda: not part of this build; "));
    });
}

TEST_CASE("a backend that was named and has nothing is a warning, and one that was not named is no message") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"));
        machine.has(machine.cuda, probe_of("cuda", "there is no driver; install one"));
        for (const bool by_name : {true, false}) {
            Fleet fleet(kFakeBackends, selection_of(by_name ? Names{"cpu", "cuda"} : Names{"auto"}), quick_to_find());
            Search search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999),
                          fleet);  // static: waits for the probes
            CHECK(search.run().ending == Ending::kFinished);
            const Notice expected{by_name ? Severity::kWarning : Severity::kDebug,
                                  "cuda is not used: there is no driver; install one"};
            CHECK(search.take_notices() == std::vector<Notice>{expected});
        }
    });
}

TEST_CASE("named devices are opened, whatever would be used by default") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"));
        Probe software = probe_of("opencl:cpu#0");
        software.info.software = true;
        machine.has(machine.opencl, software);
        for (const char* name : {"1", "opencl:cpu#0"}) {
            Fleet fleet(kFakeBackends, selection_of({"auto"}, {name}), quick_to_find());
            const auto report = Search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet).run();
            CHECK(names_of(report) == Names{"opencl:cpu#0"});
        }
        CHECK(contains(
            input_error([] { Fleet(kFakeBackends, selection_of({"auto"}, {"opencl:gpu#7"}), quick_to_find()); }),
            "-d: expected names or numbers of devices (0 cpu:a#0, 1 opencl:cpu#0), or a backend, got"));
        machine.has(machine.cuda, probe_of("cuda", "there is no driver; install one"));
        CHECK(no_device_error([] { Fleet(kFakeBackends, selection_of({"auto"}, {"cuda"}), quick_to_find()); }) ==
              "device cuda cannot be used: there is no driver; install one");
    });
}

TEST_CASE("an API that does not answer is given up, and its answer then does not count") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cuda, probe_of("cuda:a#0"), {}, 10ms);
        machine.vulkan.probe = [hang = machine.hang]() -> std::vector<Probe> {
            hang.wait();
            return {probe_of("vulkan:late#0")};
        };
        FleetTimes times = quick_to_find();
        times.probe = 1s;
        Fleet fleet(kFakeBackends, selection_of({"cuda", "vulkan"}), times);
        // Static: waits until nothing can come any more.
        Search search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet);
        const auto report = search.run();
        CHECK(names_of(report) == Names{"cuda:a#0"});
        const auto notices = texts_of(search.take_notices());
        REQUIRE(notices.size() == 1);
        CHECK(contains(notices[0], "vulkan is not used: its driver did not respond for 1 s; "));
    });
}

TEST_CASE("a GPU is not opened twice when an API answers late") {
    on_simulated_threads([] {
        bool patient = true;
        bool opened = false;  // Vulkan's device
        Machine machine;
        Probe probe = probe_of("vulkan:discrete#0");
        probe.info.uuid = "00112233445566778899aabbccddeeff";
        machine.has(machine.vulkan, probe);
        probe.info.name = "cuda:a#0";
        probe.info.backend = "cuda";
        machine.has(machine.cuda, probe);
        machine.vulkan.open = [&, open = machine.vulkan.open](const Probe& wanted) {
            opened = true;
            return open(wanted);
        };
        machine.cuda.probe = [&, answer = machine.cuda.probe] {
            wait_until([&] { return patient ? machine.vulkan.probes > 0 : opened; });
            if (patient) give_it_a_chance();
            return answer();
        };
        for (const bool is_patient : {true, false}) {
            patient = is_patient;
            machine.vulkan.probes = 0;
            FleetTimes times = quick_to_find();
            times.alias = is_patient ? 600s : 20ms;
            Fleet fleet(kFakeBackends, selection_of({"auto"}), times);
            const auto report = Search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet).run();
            CHECK(names_of(report) == Names{is_patient ? "cuda:a#0" : "vulkan:discrete#0"});
        }
    });
}
