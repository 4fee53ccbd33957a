// The run's report: for people, and as GPUMINER.CSV for `gpuminer bench pseudo-miner --against`.
#pragma once

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/search.hpp"

namespace gpuminer::baremetal {

/// Of the machine and the program.
struct Machine {
    const char* processor = "";
    const char* hypervisor = "";  ///< empty: none
    Text firmware;
    std::size_t processors = 1;
    bool boot_processor_works = false;
    std::uint64_t counter_hz = 0;
    bool has_rdtscp = true;          ///< else rdtsc counts
    bool counter_is_stated = false;  ///< by cpuid; else measured against the firmware's Stall()
};

/// The processor is QEMU's emulator: its cycles are the host's time and say nothing.
[[nodiscard]] bool is_emulated(const Machine& machine);

struct Run {
    const Config& config;
    const Machine& machine;
    const SearchOptions& options;
    const Worker* workers;
    std::size_t size;  ///< of workers

    [[nodiscard]] std::uint64_t hashes() const;
    [[nodiscard]] std::uint64_t hits() const;
    [[nodiscard]] std::uint64_t longest_ticks() const;  ///< of a worker: the total time
    [[nodiscard]] Interruptions::Rows interruptions() const;
    /// "open", "masked", "masked by the firmware", "masked by the firmware on some": maskable ones, during a slice.
    [[nodiscard]] const char* interrupts() const;
    [[nodiscard]] bool finished() const { return hashes() == config.range().count; }
    [[nodiscard]] double seconds(std::uint64_t ticks) const {
        return static_cast<double>(ticks) / static_cast<double>(machine.counter_hz);
    }
};

void print_machine(const Console& console, const Machine& machine);
void print_job(const Console& console, const Config& config);
void print_results(const Console& console, const Run& run);

/// Writes the file's text, as far as there is room: `capacity` bytes. Returns its size, or 0 where it does not fit.
[[nodiscard]] std::size_t write_csv(const Run& run, char* buffer, std::size_t capacity);
/// More than the text takes with so many workers.
[[nodiscard]] std::size_t csv_capacity(std::size_t workers);

}  // namespace gpuminer::baremetal
