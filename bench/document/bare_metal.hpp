// GPUMINER.CSV: the measurements of a run without an operating system (docs/bare-metal.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/cycle_stats.hpp"
#include "host/interruptions.hpp"

namespace gpuminer::bench {

struct BareMetalThread {
    std::uint32_t first = 0, last = 0;  ///< nonces, inclusive
    double seconds = 0;
    CycleStats cycles;
};

struct BareMetalReport {
    std::string version, compiler, flags, cpu;  ///< `version`: of the program
    std::string hypervisor;                     ///< as cpuid names it; empty: none
    std::string isa, form;                      ///< name and description of the form of the search
    std::string interrupts;                     ///< maskable ones on the workers: "open", "masked", …
    unsigned processors = 0;
    bool boot_processor_works = false;  ///< else it is free
    BlockHeader header;
    Hash256 target;
    std::uint32_t start = 0, end = 0;
    std::uint64_t slice = 0;  ///< nonces that were timed at a time; a power of two
    std::uint64_t hits = 0;
    double counter_hz = 0;  ///< cycles per second
    double seconds = 0;     ///< of the thread that took longest
    std::vector<BareMetalThread> threads;
    std::optional<Interruptions::Rows> interruptions;  ///< of all threads; empty: an older program's report

    [[nodiscard]] CycleStats cycles() const;  ///< of all threads
};

/// `name`: of the file, for errors. Throws InputError for anything but a whole report of a search that was finished on
/// a processor that exists: an emulator's cycles are its host's time.
[[nodiscard]] BareMetalReport parse_bare_metal_report(std::string_view text, const std::string& name);
/// The same of a file.
[[nodiscard]] BareMetalReport read_bare_metal_report(const std::string& path);

}  // namespace gpuminer::bench
