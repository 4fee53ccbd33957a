// The CPU backend: its devices for given options, and its refusals of invalid ones.
#include "cpu/backend.hpp"

#include <map>
#include <set>
#include <string>

#include "cpu/isa.hpp"
#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/topology.hpp"
#include "gpuminer_lists.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

DeviceOptions with_isa(const std::string& name) {
    DeviceOptions options;
    options.isa = name;
    return options;
}

std::size_t used_by_default(const std::vector<Probe>& probes) {
    return static_cast<std::size_t>(
        std::count_if(probes.begin(), probes.end(), [](const Probe& p) { return p.used_by_default; }));
}

}  // namespace

TEST_CASE("one device per hardware thread, all but one used by default") {
    const std::vector<unsigned> threads = cpu::usable_hardware_threads();
    const auto probes = kCpuBackend.probe(with_isa("scalar"));
    CHECK(std::string(kCpuBackend.name) == "cpu");
    REQUIRE(probes.size() == threads.size());
    CHECK(used_by_default(probes) == cpu::default_thread_count(static_cast<unsigned>(threads.size())));
    for (std::size_t i = 0; i < probes.size(); ++i) {
        CHECK(probes[i].info.name == "cpu:scalar#" + std::to_string(i));
        CHECK(probes[i].info.backend == "cpu");
        CHECK(probes[i].info.model == cpu::cpu_model());
        CHECK(probes[i].info.units == 1);
        CHECK(probes[i].usable);
        CHECK(probes[i].index == threads[i]);
        CHECK(probes[i].used_by_default == probes[i].reason.empty());  // whatever is not used has a reason
    }
}

TEST_CASE("auto takes an ISA that this machine has") {
    const auto probes = kCpuBackend.probe({});
    REQUIRE_FALSE(probes.empty());
    CHECK(probes.front().info.is_cpu());
    const cpu::Isa* const isa = cpu::find_isa(probes.front().info.kind);
    REQUIRE(isa != nullptr);
    CHECK(cpu::usable(*isa, cpu::detect_features()));
}

TEST_CASE("an ISA is forced by its name, or refused with the reason") {
    for (const cpu::Isa& isa : cpu::isas()) {
        if (cpu::usable(isa, cpu::detect_features())) {
            CHECK(kCpuBackend.probe(with_isa(isa.name)).front().info.name == "cpu:" + std::string(isa.name) + "#0");
            continue;
        }
        try {
            (void)kCpuBackend.probe(with_isa(isa.name));
            FAIL("--isa " << isa.name << " is not refused");
        } catch (const NoDeviceError& error) {
            CHECK(std::string(error.what()) == "--isa " + std::string(isa.name) + " cannot run here: " + isa.missing);
        }
    }
}

TEST_CASE("an unknown ISA is an input error that names those that there are") {
    const auto message_for = [](const char* name) {
        return input_error([&] { (void)kCpuBackend.probe(with_isa(name)); });
    };
    const std::string expected = "expected one of auto, " GPUMINER_ISA_NAMES " as --isa, got '";
    for (const char* const name : {"", "altivec", "riscv-v"}) CHECK(message_for(name) == expected + name + "'");
    const std::string last = cpu::isas().back().name, second = cpu::isas()[1].name;  // avx512 and sse41, sha2 and neon
    const std::string cut = last.substr(0, last.size() - 1), doubled = second.front() + second;
    CHECK(message_for(cut.c_str()) == expected + cut + "'; did you mean " + last + "?");
    CHECK(message_for(doubled.c_str()) == expected + doubled + "'; did you mean " + second + "?");
}

TEST_CASE("a form of an ISA is forced by its number") {
    std::map<std::string, unsigned> numbers;
    for (const cpu::Isa& form : cpu::isa_forms()) {
        const std::string name = form.name + std::string(":") + std::to_string(++numbers[form.name]);
        CAPTURE(name);
        if (!cpu::usable(form, cpu::detect_features())) {
            CHECK_THROWS_AS(kCpuBackend.probe(with_isa(name)), NoDeviceError);
            continue;
        }
        CHECK(kCpuBackend.probe(with_isa(name)).front().info.description == form.description);
    }
    for (const char* const name : {"scalar:", "scalar:0", "scalar:2", "scalar:x", "scalar:1:1"}) {
        CHECK(input_error([&] { (void)kCpuBackend.probe(with_isa(name)); }) ==
              "--isa: expected a form of scalar by its number, 1 to 1, got '" + std::string(name) + "'");
    }
}

TEST_CASE("as many threads as asked for, also more than the hardware has") {
    const std::vector<unsigned> threads = cpu::usable_hardware_threads();
    DeviceOptions options = with_isa("scalar");
    for (const std::size_t wanted : {std::size_t{1}, threads.size(), threads.size() + 1, 3 * threads.size() + 2}) {
        options.threads = static_cast<unsigned>(wanted);
        const auto probes = kCpuBackend.probe(options);
        CHECK(probes.size() == std::max(wanted, threads.size()));
        CHECK(used_by_default(probes) == wanted);
        std::set<std::string> names;
        for (std::size_t i = 0; i < probes.size(); ++i) {
            names.insert(probes[i].info.name);
            CHECK(probes[i].index == threads[i % threads.size()]);  // they share, evenly
        }
        CHECK(names.size() == probes.size());
    }
}

TEST_CASE("an affinity list is taken as it is, every one of it used") {
    const std::vector<unsigned> threads = cpu::usable_hardware_threads();
    DeviceOptions options = with_isa("scalar");
    options.cpu_affinity = {threads.back()};
    auto probes = kCpuBackend.probe(options);
    REQUIRE(probes.size() == 1);
    CHECK(probes[0].index == threads.back());
    CHECK(probes[0].used_by_default);
    options.cpu_affinity = {threads.rbegin(), threads.rend()};
    probes = kCpuBackend.probe(options);
    REQUIRE(probes.size() == threads.size());
    CHECK(used_by_default(probes) == threads.size());
    CHECK(probes[0].index == threads.back());
    CHECK(probes.back().index == threads.front());
}

TEST_CASE("a hardware thread that this process may not use is an input error") {
    DeviceOptions options = with_isa("scalar");
    options.cpu_affinity = {1'000'000};
    const std::string message = input_error([&] { (void)kCpuBackend.probe(options); });
    CHECK(is_plain_sentence(message));
    CHECK(contains(message, "--cpu-affinity"));
    CHECK(contains(message, "not 1000000"));
}

TEST_CASE("open makes the device that was probed, and no other") {
    const auto probes = kCpuBackend.probe(with_isa("scalar"));
    const auto device = kCpuBackend.open(probes.back(), {});
    CHECK(device->info().name == probes.back().info.name);
    CHECK(device->batch() > 0);
    for (const char* const kind : {"neon", "scalar ", "sm_90", ""}) {
        Probe unknown = probes.front();
        unknown.info.kind = kind;
        CHECK_THROWS_AS(kCpuBackend.open(unknown, {}), DeviceError);
    }
}
