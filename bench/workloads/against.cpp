#include "bench/workloads/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "baremetal/linux_kernels.hpp"
#include "cpu/device.hpp"
#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/topology.hpp"
#include "gpuminer_build_info.hpp"
#include "host/errors.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"
#include "host/thread_columns.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kThere = "no OS";
constexpr const char* kHere = "Linux";

const cpu::Isa& form_like(const BareMetalReport& there) {
    const baremetal::LinuxKernels kernels = baremetal::linux_kernels();
    if (kernels.count == 0) {
        throw InputError(
            "--against needs a build that contains BOOTX64.EFI's kernels, made with clang++ and lld-link (packages "
            "clang and lld)");
    }
    const std::span forms(kernels.forms, kernels.count);
    const auto form = std::ranges::find_if(forms, [&](const cpu::Isa& candidate) {
        return candidate.name == there.isa && candidate.description == there.form;
    });
    if (form == forms.end()) {
        throw InputError(fmt::format("--against: expected a form of the search that this program has, got {} ({})",
                                     quoted_text(there.isa), quoted_text(there.form)));
    }
    if (!cpu::usable(*form, cpu::detect_features()))
        throw NoDeviceError(fmt::format("--against: {} cannot run here: {}", form->name, form->missing));
    return *form;
}

/// The figures of a row of either system: a thread's, or all threads'.
struct SideFigures {
    double seconds;
    CycleStats cycles;
};

SideFigures all_there(const BareMetalReport& there) { return {there.seconds, there.cycles()}; }

SideFigures all_here(const SearchReport& here) {
    SideFigures all{here.seconds, {}};
    for (const DeviceReport& device : here.devices) all.cycles.merge(device.cycles);
    return all;
}

/// "+3.1 %": how much more there is here than there.
std::string more(double here, double there) {
    return there > 0 && here > 0 ? fmt::format("{:+.1f} %", 100 * (here / there - 1)) : "-";
}

/// In cycles on both sides: BOOTX64.EFI and its kernels are for x86-64, elsewhere threads_like() refuses.
Table totals(const SideFigures& there, const SideFigures& here) {
    const auto there_cells = cycle_cells(there.cycles), here_cells = cycle_cells(here.cycles);
    const bool counted = !here.cycles.empty();
    Table table{{"", kThere, kHere, fmt::format("{} has", kHere)}, {}};
    table.rows.push_back({"total time", fmt::format("{:.3f} s", there.seconds), fmt::format("{:.3f} s", here.seconds),
                          more(here.seconds, there.seconds)});
    const auto add = [&](const char* name, std::size_t cell, double value_there, double value_here) {
        table.rows.push_back(
            {name, there_cells[cell], here_cells[cell], counted ? more(value_here, value_there) : "-"});
    };
    add("average cycles per hash", 0, there.cycles.avg_per_hash(), here.cycles.avg_per_hash());
    add("maximum", 1, there.cycles.max_per_hash, here.cycles.max_per_hash);
    add("minimum", 2, there.cycles.min_per_hash, here.cycles.min_per_hash);
    add("total cycles", 3, static_cast<double>(there.cycles.cycles), static_cast<double>(here.cycles.cycles));
    return table;
}

/// A line for either system of each thread.
Table threads(const BareMetalReport& there, const SearchReport& here) {
    Table table{{std::begin(kThreadColumns), std::end(kThreadColumns)}, {}};
    const auto add = [&](std::string name, std::uint32_t first, std::uint32_t last, double seconds,
                         const CycleStats& cycles) {
        std::vector<std::string> cells{std::move(name), fmt::format("{:08X}–{:08X}", first, last),
                                       fmt::format("{:.3f} s", seconds)};
        std::ranges::move(cycle_cells(cycles), std::back_inserter(cells));
        table.rows.push_back(std::move(cells));
    };
    for (std::size_t i = 0; i < std::max(there.threads.size(), here.devices.size()); ++i) {
        if (i < there.threads.size()) {
            const BareMetalThread& thread = there.threads[i];
            add(fmt::format("#{} {}", i, kThere), thread.first, thread.last, thread.seconds, thread.cycles);
        }
        if (i < here.devices.size()) {
            const DeviceReport& device = here.devices[i];
            add(fmt::format("#{} {}", i, kHere), device.start, device.end, device.seconds, device.cycles);
        }
    }
    return table;
}

/// What makes the two incomparable, or less comparable than they look.
std::vector<std::string> reservations(const BareMetalReport& there, const SearchReport& here) {
    const baremetal::LinuxKernels kernels = baremetal::linux_kernels();
    std::vector<std::string> sentences;
    if (!there.hypervisor.empty())
        sentences.push_back(fmt::format("{} ran in a virtual machine ({}): that is no bare metal.", kThere,
                                        quoted_text(there.hypervisor)));
    if (const std::string cpu = cpu::cpu_model(); cpu != there.cpu)
        sentences.push_back(fmt::format("The processors differ: {} there, {} here.", quoted_text(there.cpu, 60), cpu));
    if (there.version != kVersion)
        sentences.push_back(fmt::format("The programs differ, and their kernels may: version {} there, {} here.",
                                        quoted_text(there.version), kVersion));
    if (there.compiler != kernels.compiler || there.flags != kernels.flags)
        sentences.emplace_back("The kernels were not made by the same compiler with the same flags.");
    constexpr double kSame = 0.01;
    if (here.counter_hz > 0 && std::abs(here.counter_hz / there.counter_hz - 1) > kSame) {
        sentences.push_back(
            fmt::format("The counters run at different frequencies, {:.3f} GHz there and {:.3f} GHz here: "
                        "cycles cannot be compared, times can.",
                        there.counter_hz / 1e9, here.counter_hz / 1e9));
    }
    if (there.hits != here.hits.size())
        sentences.push_back(fmt::format("The hits differ, of which one side is wrong: {} there, {} here.", there.hits,
                                        here.hits.size()));
    if (there.boot_processor_works)
        sentences.push_back(fmt::format("{} had one processor, which also watched the search.", kThere));
    return sentences;
}

Json side(const SideFigures& figures, std::string_view compiler, std::string_view flags, const std::string& cpu,
          double hz) {
    const bool counted = !figures.cycles.empty();
    return {{"compiler", compiler},
            {"flags", flags},
            {"cpu", cpu},
            {"seconds", figures.seconds},
            {"avg", counted ? Json(figures.cycles.avg_per_hash()) : Json(nullptr)},
            {"max", counted ? Json(figures.cycles.max_per_hash) : Json(nullptr)},
            {"min", counted ? Json(figures.cycles.min_per_hash) : Json(nullptr)},
            {"cycles", counted ? Json(figures.cycles.cycles) : Json(nullptr)},
            {"counter_hz", hz > 0 ? Json(hz) : Json(nullptr)}};
}

}  // namespace

std::vector<std::shared_ptr<Device>> threads_like(const BareMetalReport& there, const DeviceOptions& options) {
    const cpu::Isa& form = form_like(there);
    constexpr unsigned kSlicesPerBatch = 8;  // cpu/thread_device.cpp
    DeviceOptions same = options;
    same.intensity = static_cast<unsigned>(std::countr_zero(there.slice * kSlicesPerBatch));
    const std::vector<unsigned> usable = cpu::usable_hardware_threads();
    if (there.threads.size() > usable.size()) {
        throw NoDeviceError(fmt::format("--against: expected {} hardware threads, as many as searched there, got {}",
                                        there.threads.size(), usable.size()));
    }
    std::vector<std::shared_ptr<Device>> devices;
    for (unsigned i = 0; i < there.threads.size(); ++i) {
        DeviceInfo info;
        info.backend = kCpuBackendName;
        info.kind = form.name;
        info.name = device_name(kCpuBackendName, form.name, i);
        info.model = cpu::cpu_model();
        info.description = form.description;
        devices.push_back(cpu::make_device(form, std::move(info), usable[i], same));
    }
    return devices;
}

std::string against_text(const BareMetalReport& there, const SearchReport& here, const DeviceOptions& options,
                         std::size_t columns) {
    const baremetal::LinuxKernels kernels = baremetal::linux_kernels();
    std::string text = fmt::format(
        "{}       {} of {} processors, {} ({}), interrupts {}; compiled by {}\n"
        "{}       kernels of the same sources, compiled by {}; the rest of this program by {}; threads asked for "
        "--cpu-priority "
        "{}\n"
        "flags       {}, those of the instruction set, and under Linux -fPIC\n\n",
        kThere, there.threads.size(), there.processors, there.isa, there.form, printable_ascii(there.interrupts),
        printable_ascii(there.compiler), kHere, kernels.compiler, kCompiler, options.cpu_priority,
        printable_ascii(there.flags));
    text += aligned_text(totals(all_there(there), all_here(here)), {.columns = columns});
    text += "\n" + aligned_text(threads(there, here), {.columns = columns});
    text += fmt::format(
        "The maximum is the slowest slice of {} nonces: what interrupted it, timer, devices and other programs under "
        "Linux,\nthe firmware (SMI) without. The minimum is the code's own.\n",
        grouped(there.slice));
    for (const std::string& sentence : reservations(there, here)) text += "note: " + sentence + "\n";
    return text;
}

Json against_details(const BareMetalReport& there, const SearchReport& here, const DeviceOptions& options) {
    const baremetal::LinuxKernels kernels = baremetal::linux_kernels();
    Json linux_side = side(all_here(here), kernels.compiler, kernels.flags, cpu::cpu_model(), here.counter_hz);
    linux_side["cpu_priority"] = options.cpu_priority;
    return {{"bare_metal", side(all_there(there), there.compiler, there.flags, there.cpu, there.counter_hz)},
            {"linux", std::move(linux_side)},
            {"notes", reservations(there, here)}};
}

}  // namespace gpuminer::bench
