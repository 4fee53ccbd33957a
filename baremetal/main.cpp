// The miner as a UEFI application: what happens from the start to the end (docs/bare-metal.md).
#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/processor.hpp"
#include "baremetal/report.hpp"
#include "baremetal/search.hpp"
#include "baremetal/team.hpp"
#include "baremetal/volume.hpp"
#include "host/search/static_piece.hpp"

namespace gpuminer::baremetal {
namespace {

using namespace uefi;

constexpr Char16 kConfigName[] = u"\\gpuminer.cfg";
constexpr Char16 kReportName[] = u"\\GPUMINER.CSV";

/// Reads gpuminer.cfg; where there is none, the job is block 100000. False: it makes no sense, and that was said.
bool read_config(const Console& console, const Volume& volume, Config& config) {
    static char text[Config::kLargestFile + 1];
    std::size_t size = 0;
    const Status status = volume.read(kConfigName, text, Config::kLargestFile, size);
    Line line;
    if (status == kNotFound) {
        console.line("note: no gpuminer.cfg on this volume: searches Bitcoin block 100000");
        return true;
    }
    if (status == kBufferTooSmall) {
        line.add("error: gpuminer.cfg: expected a file of at most ").number(Config::kLargestFile);
        console.line(line.add(" bytes, got a larger one"));
        return false;
    }
    if (failed(status)) {
        line.add("error: gpuminer.cfg cannot be read: ");
        add_status(line, status);
        console.line(line);
        return false;
    }
    Line complaint;
    if (parse_config({text, size}, config, complaint)) return true;
    console.line(line.add("error: ").add(complaint.text()));
    return false;
}

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

// ----- the form of the search -----

/// The first form of the instruction set that the configuration names, or of the last one that this processor has.
/// Null: it has not got it, and that was said.
const cpu::Isa* choose_isa(const Console& console, const Config& config) {
    const cpu::Features features = cpu::detect_features();
    const bool is_auto = Text(config.isa) == "auto";
    const cpu::Isa* chosen = nullptr;
    for (const cpu::Isa& form : cpu::kIsaForms) {
        if (!is_auto && !(Text(form.name) == Text(config.isa))) continue;
        if (!is_auto && !usable(form, features)) {
            Line line;
            console.line(
                line.add("error: gpuminer.cfg: isa ").add(form.name).add(" cannot run here: ").add(form.missing));
            return nullptr;
        }
        if (!is_auto) return &form;
        if (usable(form, features) && (chosen == nullptr || !(Text(chosen->name) == Text(form.name)))) chosen = &form;
    }
    return chosen;
}

struct FormTiming {
    const Job& job;
    const Worker* worker;  ///< the only one that times
    const cpu::Isa* chosen;
    const cpu::Isa* fastest;
};

/// Times the forms of the chosen instruction set, and names the fastest.
void time_forms(Worker& worker, void* argument, const Pause& /*pause*/) {
    auto& timing = *static_cast<FormTiming*>(argument);
    constexpr std::uint64_t kNonces = 1u << 13;
    constexpr int kRounds = 5;
    if (&worker != timing.worker) return;
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int round = 0; round < kRounds; ++round) {
        for (const cpu::Isa& form : cpu::kIsaForms) {
            if (!(Text(form.name) == Text(timing.chosen->name)) || !usable(form, cpu::detect_features())) continue;
            const std::uint64_t cycles = time_form(worker, timing.job, form, kNonces);
            if (cycles < shortest) shortest = cycles, timing.fastest = &form;
        }
    }
}

// ----- the run -----

/// What happens on the boot processor while workers search.
struct Watch {
    const Firmware& firmware;
    const Console& console;
    const Run& run;
    SearchOptions& options;
    std::uint64_t next_line = 0;  ///< when the counter stands there
};

/// Waits a tenth of a second, if the boot processor is free to. Escape ends the search.
void watch(void* argument) {
    auto& watch = *static_cast<Watch*>(argument);
    constexpr std::uint64_t kMilliseconds = 100, kSecondsBetweenLines = 5;
    InputKey key{};
    const bool pressed = watch.run.machine.boot_processor_works ? watch.firmware.read_key(key)
                                                                : watch.firmware.wait_for_key(kMilliseconds, key);
    if (pressed && key.scan_code == kScanEscape) __atomic_store_n(&watch.options.stop, true, __ATOMIC_RELAXED);
    const std::uint64_t now = read_counter();
    if (now < watch.next_line) return;
    watch.next_line = now + kSecondsBetweenLines * watch.run.machine.counter_hz;
    const double share = static_cast<double>(watch.run.hashes()) / static_cast<double>(watch.run.config.range().count);
    Line line;
    watch.console.entry("searched", line.decimal(100 * share, 1).add(" %; Escape ends it").text());
}

struct Searching {
    const Job& job;
    const SearchOptions& options;
};

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

bool started(const Console& console, Status status) {
    if (!failed(status)) return true;
    Line line;
    line.add("error: the firmware does not start the other processors: ");
    add_status(line, status);
    console.line(line);
    return false;
}

/// Every worker proves itself before it works; then the forms are timed.
bool prepare(const Console& console, const Team& team, const Job& job, SearchOptions& options) {
    SearchOptions* const argument = &options;
    const Task proving{[](Worker& worker, void* options_of_search, const Pause&) {
                           prove(worker, *static_cast<const SearchOptions*>(options_of_search)->form);
                       },
                       argument};
    if (!started(console, team.run(proving, {})) || !workers_are_well(console, team)) return false;
    FormTiming timing{job, &team[0], options.form, options.form};
    if (!started(console, team.run({time_forms, &timing}, {}))) return false;
    options.form = timing.fastest;
    return started(console, team.run(proving, {})) && workers_are_well(console, team);
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
    const Status status = volume.write(kReportName, reinterpret_cast<const char*>(pages.data()), size);
    Line line;
    if (failed(status)) {
        line.add("error: GPUMINER.CSV cannot be written: ");
        add_status(line, status);
        console.line(line);
        return;
    }
    console.entry("written", "GPUMINER.CSV");
}

/// Everything between the configuration and the end.
void mine(const Firmware& firmware, const Console& console, const Volume& volume, const Config& config) {
    enable_vector_registers();
    SearchOptions options{choose_isa(console, config), config.slice, config.mask_interrupts};
    if (options.form == nullptr) return;
    Team team(firmware, console);
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
    if (!prepare(console, team, job, options)) return;
    Line line;
    line.number(team.size())
        .add(" of ")
        .number(team.processors())
        .add(team.processors() == 1 ? " processor" : " processors");
    console.entry(
        "workers",
        line.add(machine.boot_processor_works ? ", the boot processor" : "; the boot processor is free").text());
    line.clear();
    console.entry("form", line.add(options.form->name).add(": ").add(options.form->description).text());

    for (std::size_t i = 0; i < team.size(); ++i) team[i].piece = static_piece(config.range(), team.size(), i);
    const Run run{config, machine, options, &team[0], team.size()};
    Watch watching{firmware, console, run, options};
    Searching searching{job, options};
    const Task task{[](Worker& worker, void* argument, const Pause& pause) {
                        const auto& what = *static_cast<const Searching*>(argument);
                        search(worker, what.job, what.options, pause);
                    },
                    &searching};
    if (!started(console, team.run(task, config.progress ? Pause{watch, &watching} : Pause{}))) return;
    if (!workers_are_well(console, team)) return;  // figures of a search that went wrong are none
    console.entry("interrupts", run.interrupts());
    print_results(console, run);
    write_report(firmware, console, volume, run);
}

void end(const Firmware& firmware, const Console& console, const Config& config) {
    static constexpr Text kEndings[] = {"shuts down", "restarts", "returns to the firmware"};
    Line line;
    line.add("Done: ").add(kEndings[static_cast<std::size_t>(config.at_end)]).add(" in ").number(config.wait);
    if (config.wait > 0) {
        console.line(line.add(" s, or when a key is pressed."));
        InputKey key{};
        (void)firmware.wait_for_key(std::uint64_t{config.wait} * 1000, key);
    }
    firmware.end(config.at_end);
}

}  // namespace
}  // namespace gpuminer::baremetal

/// Where the firmware enters (UEFI 4.1).
extern "C" gpuminer::baremetal::uefi::Status efi_main(gpuminer::baremetal::uefi::Handle image,
                                                      gpuminer::baremetal::uefi::SystemTable* table) {
    using namespace gpuminer::baremetal;
    const Firmware firmware(image, *table);
    const Console console(firmware);
    console.line("gpuminer " GPUMINER_VERSION " without an operating system, compiled by " __VERSION__);
    Config config;
    {
        const Volume volume(firmware);
        if (read_config(console, volume, config)) {
            mine(firmware, console, volume, config);
        } else {
            config = {};
        }
    }
    end(firmware, console, config);
    return uefi::kSuccess;
}
