#include "baremetal/mine.hpp"

#include "baremetal/ending.hpp"
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

// ----- what is said -----

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

/// What the workers of a run are given lives as long as it: longer than any task, as one may not come back.
class Mining {
public:
    Mining(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config)
        : firmware_(firmware),
          console_(console),
          volume_(volume),
          config_(config),
          job_(config.header, config.target),
          options_{choose_isa(console, config), config.slice, config.mask_interrupts},
          team_(firmware, console),
          timing_{job_, nullptr, options_.form, options_.form} {}

    void run();
    /// A processor may still run with what this has given it.
    [[nodiscard]] bool lost() const { return team_.lost(); }

private:
    static constexpr std::uint64_t kPatience = 120;  ///< seconds for what takes less than one

    [[nodiscard]] bool gather();
    [[nodiscard]] bool prepare();
    [[nodiscard]] std::uint64_t limit_s(const Machine& machine) const;
    /// Whether all went well; if not, it was said.
    [[nodiscard]] bool all_do(void (*what)(Worker&, Mining&, const Pause&), const Pause& pause, std::uint64_t limit_s);

    const Firmware& firmware_;
    const Console& console_;
    const Volume& volume_;
    const Config& config_;
    const Job job_;
    SearchOptions options_;
    Team team_;
    FormTiming timing_;
    void (*task_)(Worker&, Mining&, const Pause&) = nullptr;
};

bool Mining::all_do(void (*what)(Worker&, Mining&, const Pause&), const Pause& pause, std::uint64_t limit_s) {
    task_ = what;
    const Task task{[](Worker& worker, void* self, const Pause& pause_of_worker) {
                        auto& mining = *static_cast<Mining*>(self);
                        mining.task_(worker, mining, pause_of_worker);
                    },
                    this};
    return started(console_, team_.run(task, pause, limit_s)) && workers_are_well(console_, team_);
}

bool Mining::gather() {
    const std::uint64_t most = config_.threads != 0 ? config_.threads : ~std::uint64_t{0};
    if (team_.gather(most < config_.range().count ? most : config_.range().count)) return true;
    console_.line("error: there is not enough memory for the workers");
    return false;
}

/// Every worker proves itself before it works, and the forms are timed.
bool Mining::prepare() {
    const auto prove_itself = [](Worker& worker, Mining& mining, const Pause&) {
        prove(worker, *mining.options_.form);
    };
    const auto time = [](Worker& worker, Mining& mining, const Pause&) { time_forms(worker, mining.timing_); };
    timing_.worker = &team_[0];
    if (!all_do(prove_itself, {}, kPatience) || !all_do(time, {}, kPatience)) return false;
    options_.form = timing_.fastest;
    return all_do(prove_itself, {}, kPatience);
}

/// Seconds that the search may take where nobody can look at it meanwhile: twenty times what the timing makes it, and
/// what easy targets cost, candidates to be checked and slices to be searched in halves.
std::uint64_t Mining::limit_s(const Machine& machine) const {
    constexpr double kMargin = 20, kCheckCycles = 20000;
    const double candidates = (static_cast<double>(job_.target.top_word()) + 1) / 0x1p32;  // for each nonce
    double scans = 1;
    for (double slice = static_cast<double>(options_.slice); slice * candidates > Worker::kCandidates; slice /= 2)
        ++scans;
    const double scan_cycles = static_cast<double>(timing_.cycles) / FormTiming::kNonces;
    const double cycles = scans * scan_cycles + candidates * kCheckCycles;
    const auto nonces = static_cast<double>(team_[0].piece.count);
    return kPatience + static_cast<std::uint64_t>(kMargin * nonces * cycles / static_cast<double>(machine.counter_hz));
}

void Mining::run() {
    if (options_.form == nullptr || !gather()) return;
    Line firmware_name;
    describe_firmware(firmware_.table(), firmware_name);
    const cpu::CpuModel model = cpu::read_cpu_model();
    const HypervisorName hypervisor = hypervisor_name();
    Machine machine{model.text, hypervisor.text, firmware_name.text(), team_.processors(),
                    team_.boot_processor_works()};
    find_counter_hz(firmware_, machine);
    print_machine(console_, machine);
    print_job(console_, config_);
    if (!prepare()) return;
    print_team(console_, config_, team_, *options_.form);
    for (std::size_t i = 0; i < team_.size(); ++i) {
        team_[i].piece = static_piece(config_.range(), team_.size(), i);
        team_[i].interruptions.begin(static_cast<double>(machine.counter_hz));
    }
    const Run run{config_, machine, options_, &team_[0], team_.size()};
    Watch watch(firmware_, console_, run, options_);
    const auto search_piece = [](Worker& worker, Mining& mining, const Pause& pause) {
        search(worker, mining.job_, mining.options_, pause);
    };
    // Figures of a search that went wrong are none.
    if (!all_do(search_piece, config_.progress ? watch.pause() : Pause{}, limit_s(machine))) return;
    console_.entry("interrupts", run.interrupts());
    print_results(console_, run);
    write_report(firmware_, console_, volume_, run);
}

}  // namespace

void mine(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config) {
    enable_vector_registers();
    Mining mining(firmware, console, volume, config);
    mining.run();
    if (!mining.lost()) return;
    Config last = config;
    if (last.at_end == AtEnd::kFirmware) last.at_end = AtEnd::kReboot;
    end(firmware, console, last);  // here, while all that workers read is still in its place
}

}  // namespace gpuminer::baremetal
