// The UEFI application from its start to its end, on firmware that the test plays: what firmware may refuse, and which
// processors work.
#include <cctype>
#include <string>
#include <vector>

#include "bench/document/bare_metal.hpp"
#include "host/block/well_known.hpp"
#include "tests/baremetal/fake_firmware.hpp"
#include "tests/catch.hpp"

extern "C" gpuminer::baremetal::uefi::Status efi_main(gpuminer::baremetal::uefi::Handle image,
                                                      gpuminer::baremetal::uefi::SystemTable* table);

using namespace gpuminer;
using test::FakeFirmware;
namespace uefi = baremetal::uefi;

namespace {

constexpr std::uint32_t kGood = uefi::kProcessorEnabled | uefi::kProcessorHealthy;
constexpr std::uint32_t kBoot = kGood | uefi::kBootProcessor;
constexpr const char* kFound =
    "nonce 2083236893, hash 000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

/// What it says, with every run of blanks and ends of lines as one blank.
std::string run_to_the_end(FakeFirmware& fake, const std::string& options = "") {
    fake.files[u"\\gpuminer.cfg"] =
        std::string("header = ") + kGenesisHeader + "\nstart = 2083236000\nend = 2083237999\n" + options;
    CHECK(efi_main(fake.image(), &fake.table()) == uefi::kSuccess);
    std::string words;
    for (const char c : fake.screen) {
        const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_space || (!words.empty() && words.back() != ' ')) words += is_space ? ' ' : c;
    }
    return words;
}

std::string run(FakeFirmware& fake, const std::string& options = "") {
    const std::string words = run_to_the_end(fake, options);
    CHECK(fake.pages_in_use.empty());
    return words;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bench::BareMetalReport report_of(const FakeFirmware& fake) {
    REQUIRE(fake.files.count(u"\\GPUMINER.CSV") == 1);
    return bench::parse_bare_metal_report(fake.files.at(u"\\GPUMINER.CSV"), "'x'");
}

}  // namespace

TEST_CASE("all processors but the boot processor search, and the machine is switched off") {
    FakeFirmware fake;
    fake.processors = {kGood, kBoot, kGood, kGood};  // the boot processor need not be the first
    const std::string text = run(fake);
    CAPTURE(text);
    CHECK(has(text, kFound));
    CHECK(has(text, "3 of 4 processors; the boot processor is free"));
    const bench::BareMetalReport report = report_of(fake);
    CHECK(report.threads.size() == 3);
    CHECK(report.threads[0].cycles.hashes == 667);
    CHECK(report.threads[2].cycles.hashes == 666);
    CHECK(report.hits == 1);
    CHECK(std::vector(fake.started.end() - 3, fake.started.end()) == std::vector<std::size_t>{0, 2, 3});
    CHECK(fake.resets == std::vector{uefi::ResetType::kShutdown});
}

TEST_CASE("firmware that waits for processors is asked to") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood, kGood};
    fake.starts_without_waiting = false;
    const std::string text = run(fake, "at-end = reboot\n");
    CHECK(has(text, kFound));
    CHECK(report_of(fake).threads.size() == 2);
    CHECK(fake.resets == std::vector{uefi::ResetType::kCold});
}

TEST_CASE("firmware that starts no processor gets a plain sentence") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood};
    fake.start_fails = uefi::kDeviceError;
    const std::string text = run(fake, "at-end = firmware\n");
    CHECK(has(text, "error: the firmware does not start the other processors: the device failed (EFI error 7)"));
    CHECK_FALSE(has(text, "hit"));
    CHECK(fake.files.count(u"\\GPUMINER.CSV") == 0);
    CHECK(fake.resets.empty());
}

TEST_CASE("a processor that does not start is an error") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood, kGood};
    fake.never_starts = 2;
    CHECK(has(run_to_the_end(fake), "error: processor 2 was not started by the firmware"));
    CHECK(fake.pages_in_use.size() == 1);  // it may still start
    CHECK(fake.files.count(u"\\GPUMINER.CSV") == 0);
}

TEST_CASE("a processor that hangs ends the run, not the machine") {
    // Tasks: proving, timing, proving, and the search. The first three are waited for inside the firmware.
    for (const bool waits : {false, true}) {
        for (const std::size_t tasks : {0, 1, 2, 3}) {
            CAPTURE(waits, tasks);
            FakeFirmware fake;
            fake.processors = {kBoot, kGood, kGood};
            fake.hangs = 2, fake.hangs_after = tasks;
            fake.starts_without_waiting = !waits;
            baremetal::processor_hz = 1000;  // so that two minutes without progress are over at once
            fake.files[u"\\gpuminer.cfg"] = "start = 5\nend = 7000\nat-end = firmware\n";
            CHECK(efi_main(fake.image(), &fake.table()) == uefi::kSuccess);
            baremetal::processor_hz = 2'000'000'000;
            CAPTURE(fake.screen);
            CHECK(has(fake.screen, "error: processor 2 has not come back from its work"));
            CHECK_FALSE(has(fake.screen, "total time"));
            CHECK(fake.files.count(u"\\GPUMINER.CSV") == 0);
            CHECK(fake.pages_in_use.size() == 1);                       // its stack stays its own,
            CHECK(fake.resets == std::vector{uefi::ResetType::kCold});  // and the firmware does not go on beside it
        }
    }
}

TEST_CASE("keys from before the search do not end it") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood};
    fake.escapes = 3;
    run(fake);
    CHECK(fake.escapes == 0);
    CHECK(report_of(fake).threads.size() == 1);  // of a search that was finished
}

TEST_CASE("each core has a worker before any has two") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood, kGood, kGood, kGood, kGood};
    fake.threads = {0, 1, 0, 1, 0, 1};
    run(fake, "threads = 3\n");
    const std::string& report = fake.files.at(u"\\GPUMINER.CSV");
    for (const char* row : {"\r\n0,2,", "\r\n1,4,", "\r\n2,1,"}) CHECK(has(report, row));
}

TEST_CASE("firmware that cannot count its processors has one") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood};
    fake.counting_fails = uefi::kDeviceError;
    const std::string text = run(fake);
    CHECK(has(text,
              "note: the firmware does not say how many processors there are, so that one works alone: the device "
              "failed (EFI error 7)"));
    CHECK(has(text, kFound));
}

TEST_CASE("a program that came from no volume searches what is searched without a file") {
    FakeFirmware fake;
    fake.has_volume = false;
    fake.processors = {kBoot};
    fake.files.clear();
    baremetal::processor_hangs = true;  // all nonces would take too long
    CHECK_THROWS_AS(efi_main(fake.image(), &fake.table()), baremetal::ProcessorHangs);
    baremetal::processor_hangs = false;
    CHECK(has(fake.screen, "note: this program's volume cannot be read"));
}

TEST_CASE("without MP Services the boot processor searches") {
    FakeFirmware fake;
    const std::string text = run(fake);
    CHECK(has(text, "note: this firmware has no MP Services, so that the boot processor works alone"));
    CHECK(has(text, kFound));
    CHECK(has(text, "1 of 1 processor, the boot processor"));
    CHECK(report_of(fake).boot_processor_works);
}

TEST_CASE("processors that the firmware does not trust are left out") {
    FakeFirmware fake;
    fake.processors = {kBoot, uefi::kProcessorEnabled, uefi::kProcessorHealthy, kGood};
    const std::string text = run(fake);
    CHECK(has(text, "note: processor 1 is left out, as the firmware calls it unhealthy"));
    CHECK(has(text, "note: processor 2 is left out, as the firmware calls it disabled"));
    CHECK(has(text, "1 of 4 processors"));
    CHECK(has(text, kFound));
    CHECK(report_of(fake).threads.size() == 1);
}

TEST_CASE("there are no more workers than asked for, and none without nonces") {
    FakeFirmware fake;
    fake.processors = std::vector<std::uint32_t>(16, kGood);
    fake.processors[0] = kBoot;
    CHECK(has(run(fake, "threads = 2\n"), "2 of 16 processors"));
    CHECK(report_of(fake).threads.size() == 2);
    fake.files[u"\\gpuminer.cfg"] = "start = 5\nend = 7\n";
    CHECK(efi_main(fake.image(), &fake.table()) == uefi::kSuccess);
    CHECK(report_of(fake).threads.size() == 3);
    CHECK_FALSE(has(fake.screen, "threads were asked for"));
    CHECK(has(run(fake, "threads = 16\n"),
              "note: 16 threads were asked for, but there are no more processors to search with"));
    fake.files[u"\\gpuminer.cfg"] = "start = 5\nend = 7\nthreads = 4\n";
    CHECK(efi_main(fake.image(), &fake.table()) == uefi::kSuccess);
    CHECK(has(fake.screen, "note: 4 threads were asked for, but there are no more nonces"));
}

TEST_CASE("the earlier report stays until there is another whole one") {
    FakeFirmware fake;
    const std::u16string report = u"\\GPUMINER.CSV", spare = u"\\GPUMINER.NEW";
    fake.files[report] = "earlier";
    fake.room = 100;
    CHECK(has(run(fake), "error: GPUMINER.CSV cannot be written: the volume is full (EFI error 11)"));
    CHECK(fake.files.at(report) == "earlier");
    CHECK(fake.files.count(spare) == 0);
    fake.room = 1 << 20, fake.cannot_create = report;
    const std::string text = run(fake);
    CHECK(has(text, "note: the report is in GPUMINER.NEW error: GPUMINER.CSV cannot be written: the device failed"));
    CHECK(bench::parse_bare_metal_report(fake.files.at(spare), "'x'").hits == 1);
    fake.cannot_create.clear();
    CHECK(has(run(fake), "written GPUMINER.CSV"));
    CHECK(report_of(fake).hits == 1);
    CHECK(fake.files.count(spare) == 0);
}

TEST_CASE("without memory nothing is searched") {
    FakeFirmware fake;
    fake.processors = {kBoot, kGood};
    fake.has_memory = false;
    CHECK(has(run(fake), "error: there is not enough memory for the workers"));
}

TEST_CASE("a file that is too large for a configuration gets a plain sentence") {
    FakeFirmware fake;
    CHECK(has(run(fake, std::string(20000, '\n')),
              "error: gpuminer.cfg: expected a file of at most 16384 bytes, got a larger one"));
}
