// GPUMINER.CSV as written by the UEFI application and read by `gpuminer bench --against`.
#include <array>
#include <string>
#include <vector>

#include "baremetal/report.hpp"
#include "bench/document/bare_metal.hpp"
#include "cpu/isa_forms.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

/// Two workers that searched nonces 10 to 1009.
std::string written(const char* hypervisor = "", std::uint64_t searched_by_the_second = 500) {
    static std::array<baremetal::Worker, 2> workers;
    workers = {};
    workers[0].processor = 1, workers[1].processor = 5;
    workers[0].piece = {10, 500}, workers[1].piece = {510, 500};
    workers[0].ticks = 3'000'000, workers[1].ticks = 2'000'000;
    workers[0].hashes = 500, workers[1].hashes = searched_by_the_second;
    workers[0].hits = 1;
    workers[0].interrupts_open = workers[1].interrupts_open = true;
    workers[0].cycles.add_slice(40000, 400);
    workers[0].cycles.add_slice(11000, 100);
    workers[1].cycles.add_slice(45000, 500);
    for (baremetal::Worker& worker : workers) {
        worker.interruptions.begin(2e9);
        for (const std::uint64_t cycles : {40000, 40000, 110000}) worker.interruptions.add_slice(cycles, 400);
        worker.interruptions.finish();
    }
    baremetal::Config config;
    config.first = 10, config.last = 1009, config.slice = 512;
    const baremetal::Machine machine{
        "A \"CPU\", made\nup", hypervisor, "Firm, ware 00010000", 4, false, 2'000'000'000, true, true};
    baremetal::SearchOptions options;
    options.form = &cpu::kIsaForms[0];
    const baremetal::Run run{config, machine, options, workers.data(), workers.size()};
    std::string text(baremetal::csv_capacity(workers.size()), '?');
    text.resize(baremetal::write_csv(run, text.data(), text.size()));
    return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

std::string refusal_of(const std::string& text) {
    try {
        (void)bench::parse_bare_metal_report(text, "'x'");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a report that was written is read back") {
    const bench::BareMetalReport report = bench::parse_bare_metal_report(written(), "'x'");
    CHECK(report.cpu == "A ?CPU?, made?up");
    CHECK(report.hypervisor.empty());
    CHECK(report.compiler == __VERSION__);
    CHECK(report.isa == cpu::kIsaForms[0].name);
    CHECK(report.form == cpu::kIsaForms[0].description);
    CHECK(report.interrupts == "open");
    CHECK(report.processors == 4);
    CHECK_FALSE(report.boot_processor_works);
    CHECK(report.header.nonce() == 274148111);
    CHECK(report.target == target_from_nbits(report.header.nbits()));
    CHECK(report.start == 10);
    CHECK(report.end == 1009);
    CHECK(report.slice == 512);
    CHECK(report.hits == 1);
    CHECK(report.counter_hz == 2e9);
    CHECK(report.seconds == 0.0015);
    REQUIRE(report.threads.size() == 2);
    CHECK(report.threads[1].first == 510);
    CHECK(report.threads[1].last == 1009);
    CHECK(report.threads[1].seconds == 0.001);
    CHECK(report.threads[0].cycles.avg_per_hash() == 102);
    CHECK(report.threads[0].cycles.min_per_hash == 100);
    CHECK(report.threads[0].cycles.max_per_hash == 110);
    CHECK(report.cycles().cycles == 96000);
    REQUIRE(report.interruptions);
    CHECK((*report.interruptions)[1].slices == 2);
    CHECK((*report.interruptions)[1].seconds == 70e-6);
    CHECK((*report.interruptions)[0].slices + (*report.interruptions)[2].slices == 0);
}

TEST_CASE("a report that cannot be compared is refused") {
    const std::string whole = written();
    CHECK(refusal_of(written("TCGTCGTCGTCG")).find("emulator (TCG)") != std::string::npos);
    CHECK(refusal_of(written("", 12)).find("expected a finished search, got a stopped one") != std::string::npos);
    const std::string expected = "'x': expected GPUMINER.CSV as BOOTX64.EFI writes it, got ";
    CHECK(refusal_of("") == expected + "one without format");
    CHECK(refusal_of("{\"format\": \"gpuminer bench\"}") == expected + "one without format");
    CHECK(refusal_of(replaced(whole, "format_version,1", "format_version,2")) == expected + "format_version '2'");
    CHECK(refusal_of(replaced(whole, "slice,512", "slice,513")) == expected + "a slice that is no power of two");
    CHECK(refusal_of(replaced(whole, "slice,512", "slice,nan")) == expected + "slice 'nan'");
    CHECK(refusal_of(replaced(whole, "seconds,0.001500", "seconds,nan")) == expected + "seconds 'nan'");
    CHECK(refusal_of(replaced(whole, "0,1,10,509,500", "0,1,11,510,500")) ==
          expected + "threads whose pieces are not the range");
    CHECK(refusal_of(replaced(whole, "0,1,10,509,500", "0,1,10,509,499")) == expected + "hashes '499'");
    CHECK(refusal_of(replaced(whole, ",51000", ",51001")) == expected + "a thread whose figures contradict each other");
    CHECK(refusal_of(replaced(whole, ",51000", ",51000,x")) ==
          expected + "a thread whose figures contradict each other");
    CHECK(refusal_of(replaced(whole, "threads,2", "threads,3")) == expected + "threads '3'");
    CHECK(refusal_of(whole.substr(0, whole.find("1,5,510"))) == expected + "threads whose pieces are not the range");
    CHECK(refusal_of(replaced(whole, "header,01", "header,0x")).rfind("'x': expected", 0) == 0);
    CHECK(refusal_of(replaced(whole, "counter_hz,", "other,")) == expected + "one without counter_hz");
    CHECK(refusal_of(replaced(whole, "longer_1ms_slices,0", "longer_1ms_slices,-1")) ==
          expected + "longer_1ms_slices '-1'");
    CHECK(refusal_of(replaced(whole, "longer_10ms_seconds,", "other,")) ==
          expected + "one without longer_10ms_seconds");
    CHECK(refusal_of(replaced(whole, "longer_1us_slices,", "other,")).empty());  // as one of a program without them
}

TEST_CASE("a report is written whole or not at all") {
    std::array<baremetal::Worker, 1> workers;
    workers[0].piece = {0, 1};
    const baremetal::Config config;
    const baremetal::Machine machine{"", "", "", 1, true, 1'000'000, true, true};
    baremetal::SearchOptions options;
    options.form = &cpu::kIsaForms[0];
    const baremetal::Run run{config, machine, options, workers.data(), workers.size()};
    std::array<char, 100> buffer{};
    CHECK(baremetal::write_csv(run, buffer.data(), buffer.size()) == 0);
}
