// Tests of the choice of ISA: never one that the CPU cannot run, and always the one that was asked for.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "cpu/backend.hpp"
#include "cpu/device.hpp"
#include "cpu/form_choice.hpp"
#include "host/search/self_test.hpp"
#include "random_headers.hpp"
#include "scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::array kFeatures = {
#define GPUMINER_FEATURE(name, linux_name, flags, missing) &cpu::Features::name,
#include "cpu/isa_list.inc"
    &cpu::Features::cycle_counter};

/// What Linux must list of a CPU that can run the form.
std::set<std::string> cpu_flags_of(const cpu::Isa& form) {
    std::istringstream words;
#define GPUMINER_FEATURE(name, linux_name, flags, missing) \
    if (form.needs == &cpu::Features::name) words.str(#linux_name);
#include "cpu/isa_list.inc"
    return {std::istream_iterator<std::string>(words), {}};
}

/// Every set of features that a lesser machine than this one could have: all subsets of this one's.
std::vector<cpu::Features> feature_subsets() {
    const cpu::Features here = cpu::detect_features();
    std::vector<cpu::Features> subsets;
    for (unsigned set = 0; set < 1u << kFeatures.size(); ++set) {
        cpu::Features features;
        bool possible = true;
        for (std::size_t i = 0; i < kFeatures.size(); ++i) {
            features.*kFeatures[i] = (set >> i & 1) != 0;
            possible &= !(features.*kFeatures[i]) || here.*kFeatures[i];
        }
        if (possible) subsets.push_back(features);
    }
    return subsets;
}

}  // namespace

TEST_CASE("the tests of every ISA know every ISA") {
    std::set<std::string> listed;
    for (const cpu::Isa& isa : cpu::isas()) {
        CHECK(listed.insert(isa.name).second);
        REQUIRE(cpu::find_isa(isa.name) != nullptr);
        CHECK(cpu::find_isa(isa.name)->scan == isa.scan);
        CHECK(std::string(isa.description) != "");
        CHECK((isa.needs == nullptr) == std::string(isa.missing).empty());  // what may be missing has a sentence
    }
    CHECK(listed == names<GPUMINER_EVERY_ISA>());
    for (const char* const name : {"", "auto", "AVX2", "avx", "avx2 "}) CHECK(cpu::find_isa(name) == nullptr);
}

TEST_CASE("the forms of an ISA follow each other and need what its first does, which stands for it") {
    const auto forms = cpu::isa_forms();
    std::set<std::string> ended, descriptions;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const cpu::Isa* const isa = cpu::find_isa(forms[i].name);
        REQUIRE(isa != nullptr);
        CHECK((forms[i].needs == nullptr) == (isa->needs == nullptr));
        CHECK(std::ranges::includes(cpu_flags_of(forms[i]), cpu_flags_of(*isa)));
        CHECK(descriptions.insert(forms[i].name + std::string(": ") + forms[i].description).second);
        if (i + 1 == forms.size() || forms[i + 1].name != std::string(forms[i].name))
            CHECK(ended.insert(forms[i].name).second);
    }
    CHECK(ended.size() == cpu::isas().size());
    for (const cpu::Isa& isa : cpu::isas())
        CHECK(std::ranges::find(forms, std::string_view(isa.name), &cpu::Isa::name)->scan == isa.scan);
}

TEST_CASE("each ISA needs its feature and no other") {
    CHECK(cpu::find_isa("scalar")->needs == nullptr);
    CHECK(cpu::usable(*cpu::find_isa("scalar"), cpu::Features{}));
    for (const cpu::Isa& isa : cpu::isas()) {
        for (unsigned set = 0; set < 1u << kFeatures.size(); ++set) {  // on any machine whatsoever
            cpu::Features features;
            for (std::size_t i = 0; i < kFeatures.size(); ++i) features.*kFeatures[i] = (set >> i & 1) != 0;
            REQUIRE(cpu::usable(isa, features) == (isa.needs == nullptr || features.*isa.needs));
        }
    }
}

TEST_CASE("with every subset of this CPU's features, each usable form of each ISA finds the same") {
    const BlockHeader header = random_headers(1, 30).front();
    const NonceRange range{0xfffffff0 - 150, 167};
    const Oracle oracle(header, some_versions(9), range);
    constexpr std::uint32_t kTargetTop = 0x0fffffff;
    const auto subsets = feature_subsets();
    REQUIRE(subsets.front() == cpu::Features{});
    REQUIRE(subsets.back() == cpu::detect_features());
    for (const cpu::Features& features : subsets) {
        const std::vector<const cpu::Isa*> forms = cpu::usable_forms("auto", features);
        REQUIRE_FALSE(forms.empty());
        REQUIRE(cpu::usable(cpu::fastest_of(forms, std::nullopt), features));
        for (const cpu::Isa* const isa : forms) {
            REQUIRE(cpu::usable(*isa, features));
            for (const std::uint32_t versions : {1u, 2u, 9u}) {
                // scan() requires that the code which ran says the same name.
                REQUIRE(scan(*isa, job_of(header, some_versions(versions), kTargetTop), range) ==
                        oracle.keys(versions, range, kTargetTop));
            }
        }
    }
}

TEMPLATE_TEST_CASE("the forced ISA is the one that runs, through the backend and its device", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    DeviceOptions options;
    options.isa = isa->name;
    const auto probes = kCpuBackend.probe(options);
    REQUIRE_FALSE(probes.empty());
    for (const Probe& probe : probes) CHECK(probe.info.name.rfind(std::string("cpu:") + isa->name + "#", 0) == 0);
    const auto device = kCpuBackend.open(probes.front(), options);
    CHECK(device->info().name == probes.front().info.name);

    // The device compares the name that the code which ran wrote with the one asked for, at every scan.
    const auto verdict = self_test(*device);
    INFO(verdict.value_or(""));
    CHECK_FALSE(verdict);
}

TEMPLATE_TEST_CASE("a device under one ISA's name that runs another's code says so", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 31).front();
    const Sha256dJob job = job_of(header, {1}, 0);
    cpu::Isa mixed_up = *isa;
    mixed_up.name = "another";
    const auto device = cpu::make_device(mixed_up, {}, 0, {});
    ScanResult result;
    CHECK_THROWS_AS(device->scan(job, {0, 100}, result), DeviceError);
}
