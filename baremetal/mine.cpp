#include "baremetal/mine.hpp"

#include "baremetal/forms.hpp"
#include "baremetal/processor.hpp"
#include "baremetal/report.hpp"
#include "baremetal/search.hpp"
#include "baremetal/team.hpp"
#include "baremetal/watch.hpp"
#include "host/search/static_piece.hpp"

namespace gpuminer::baremetal {
namespace {

using namespace uefi;

constexpr Char16 kReportName[] = u"\\GPUMINER.CSV", kNewReportName[] = u"\\GPUMINER.NEW";

/// The counter's frequency: as cpuid states it, or against the firmware's Stall().
void find_counter_hz(const Firmware& firmware, Machine& machine) {
    machine.has_rdtscp = have_rdtscp();
    machine.counter_hz = stated_counter_hz();
    machine.counter_is_stated = machine.counter_hz != 0;
    if (machine.counter_is_stated) return;
    constexpr std::uint64_t kStallsPerSecond = 10;
    const std::uint64_t start = read_counter();
    (void)firmware.boot().stall(1000000 / kStallsPerSecond);
    machine.counter_hz = (read_counter() - start) * kStallsPerSecond;
}

/// The firmware's maker and its own number.
void describe_firmware(const SystemTable& table, Line& line) {
    constexpr std::size_t kLongestVendor = 60;
    const Char16* const vendor = table.firmware_vendor;
    for (std::size_t i = 0; vendor != nullptr && vendor[i] != 0 && i < kLongestVendor; ++i)
        line.add(vendor[i] >= ' ' && vendor[i] <= '~' ? static_cast<char>(vendor[i]) : '?');
    line.add(' ').hex(table.firmware_revision, 8);
}

// ----- workers -----

/// One error line for the first worker that failed.
bool workers_are_well(const Console& console, const Team& team) {
    for (std::size_t i = 0; i < team.size(); ++i) {
        if (team[i].failure == Failure::kNone) continue;
        Line line;
        line.add("error: processor ").number(team[i].processor).add(' ');
        console.line(line.add(failure_text(team[i].failure)));
        return false;
    }
    return true;
}

/// Whether they were; what became of them is another question.
bool started(const Console& console, Status status) {
    if (!failed(status) || status == kTimeout) return true;
    Line line;
    line.add("error: the firmware does not start the other processors: ");
    add_status(line, status);
    console.line(line);
    return false;
}

/// Whether all went well; if not, it was said.
bool run_task(const Console& console, Team& team, const Task& task, const Pause& pause, std::uint64_t limit_s) {
    return started(console, team.run(task, pause, limit_s)) && workers_are_well(console, team);
}

constexpr std::uint64_t kPatience = 120;  // seconds for what takes less than one

/// Every worker proves itself before it works, and the forms are timed. False: that failed, and it was said. `cycles`:
/// what the fastest form takes for FormTiming::kNonces.
bool prepare(const Console& console, Team& team, const Job& job, SearchOptions& options, std::uint64_t& cycles) {
    const Task proving{[](Worker& worker, void* options_of_search, const Pause&) {
                           prove(worker, *static_cast<const SearchOptions*>(options_of_search)->form);
                       },
                       &options};
    if (!run_task(console, team, proving, {}, kPatience)) return false;
    FormTiming timing{job, &team[0], options.form, options.form};
    if (!run_task(console, team, {time_forms, &timing}, {}, kPatience)) return false;
    options.form = timing.fastest;
    cycles = timing.cycles;
    return run_task(console, team, proving, {}, kPatience);
}

/// Seconds that the search may take where nobody can look at it meanwhile: twenty times what the timing makes it.
std::uint64_t limit_of(const Run& run, std::uint64_t cycles) {
    constexpr std::uint64_t kMargin = 20;
    const std::uint64_t parts = run.workers[0].piece.count / FormTiming::kNonces;
    return kPatience + kMargin * parts * cycles / run.machine.counter_hz;
}

void print_team(const Console& console, const Config& config, const Team& team, const cpu::Isa& form) {
    Line line;
    line.number(team.size()).add(" of ").number(team.processors());
    line.add(team.processors() == 1 ? " processor" : " processors");
    line.add(team.boot_processor_works() ? ", the boot processor" : "; the boot processor is free");
    console.entry("workers", line.text());
    if (config.threads > team.size()) {
        line.clear();
        line.add("note: ").number(config.threads).add(" threads were asked for, but there are no more ");
        console.line(line.add(team.size() == config.range().count ? "nonces" : "processors to search with"));
    }
    line.clear();
    console.entry("form", line.add(form.name).add(": ").add(form.description).text());
}

struct Searching {
    const Job& job;
    const SearchOptions& options;
};

void search_with(Worker& worker, void* argument, const Pause& pause) {
    const auto& what = *static_cast<const Searching*>(argument);
    search(worker, what.job, what.options, pause);
}

// ----- the report -----

/// At any moment there is a whole report on the volume, the earlier one or this.
Status write_safely(const Console& console, const Volume& volume, const char* text, std::size_t size) {
    Status status = volume.write(kNewReportName, text, size);
    if (failed(status)) return status;
    status = volume.write(kReportName, text, size);
    if (failed(status)) {
        console.line("note: the report is in GPUMINER.NEW");
    } else {
        volume.remove(kNewReportName);
    }
    return status;
}

void write_report(const Firmware& firmware, const Console& console, const Volume& volume, const Run& run) {
    Pages pages(firmware);
    const std::size_t capacity = csv_capacity(run.size);
    std::size_t size = 0;
    if (pages.allocate(capacity)) size = write_csv(run, reinterpret_cast<char*>(pages.data()), capacity);
    if (size == 0) {
        console.line("error: GPUMINER.CSV is not written: there is not enough memory");
        return;
    }
    const Status status = write_safely(console, volume, reinterpret_cast<const char*>(pages.data()), size);
    if (failed(status)) {
        Line line;
        line.add("error: GPUMINER.CSV cannot be written: ");
        add_status(line, status);
        console.line(line);
        return;
    }
    console.entry("written", "GPUMINER.CSV");
}

// ----- the run -----

void mine_with(Team& team, const Firmware& firmware, const Console& console, const Volume& volume,
               const Config& config) {
    SearchOptions options{choose_isa(console, config), config.slice, config.mask_interrupts};
    if (options.form == nullptr) return;
    const std::uint64_t most = config.threads != 0 ? config.threads : ~std::uint64_t{0};
    if (!team.gather(most < config.range().count ? most : config.range().count)) {
        console.line("error: there is not enough memory for the workers");
        return;
    }
    Line firmware_name;
    describe_firmware(firmware.table(), firmware_name);
    const cpu::CpuModel model = cpu::read_cpu_model();
    const HypervisorName hypervisor = hypervisor_name();
    Machine machine{model.text, hypervisor.text, firmware_name.text(), team.processors(), team.boot_processor_works()};
    find_counter_hz(firmware, machine);
    print_machine(console, machine);
    print_job(console, config);

    const Job job(config.header, config.target);
    std::uint64_t cycles = 0;
    if (!prepare(console, team, job, options, cycles)) return;
    print_team(console, config, team, *options.form);
    for (std::size_t i = 0; i < team.size(); ++i) team[i].piece = static_piece(config.range(), team.size(), i);
    const Run run{config, machine, options, &team[0], team.size()};
    Watch watch(firmware, console, run, options);
    Searching searching{job, options};
    const Pause pause = config.progress ? watch.pause() : Pause{};
    // Figures of a search that went wrong are none.
    if (!run_task(console, team, {search_with, &searching}, pause, limit_of(run, cycles))) return;
    console.entry("interrupts", run.interrupts());
    print_results(console, run);
    write_report(firmware, console, volume, run);
}

}  // namespace

bool mine(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config) {
    enable_vector_registers();
    Team team(firmware, console);
    mine_with(team, firmware, console, volume, config);
    return !team.lost();
}

}  // namespace gpuminer::baremetal
