// The job and the options: gpuminer.cfg, from the volume that the program came from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "baremetal/checker.hpp"
#include "baremetal/line.hpp"
#include "kernel/scan_types.hpp"

namespace gpuminer::baremetal {

enum class AtEnd : std::uint8_t { kShutdown, kReboot, kFirmware };

/// Lines `name = value` with the names of `gpuminer`'s options (docs/bare-metal.md has all); # and ; begin comments.
struct Config {
    static constexpr std::size_t kLargestFile = 16 << 10;  ///< bytes
    static constexpr std::uint64_t kLargestSlice = 1u << 24;

    Config();  ///< the job and the options where there is no file

    Header header;     ///< with any nonce
    Number256 target;  ///< by default that of the header's nBits
    std::uint32_t first = 0, last = 0xffffffff;
    std::uint32_t threads = 0;  ///< 0: one for each processor but the boot processor
    char isa[24] = "auto";
    /// Nonces that are timed at a time; a power of two.
    std::uint64_t slice = 1u << 15;
    bool mask_interrupts = false;
    /// A line now and then while it searches. Without, the boot processor waits inside the firmware.
    bool progress = true;
    AtEnd at_end = AtEnd::kShutdown;
    std::uint32_t wait = 30;  ///< seconds for a key, before it ends

    [[nodiscard]] NonceRange range() const { return {first, std::uint64_t{last} - first + 1}; }
};

/// The header of 160 hex digits.
[[nodiscard]] Header header_of_digits(Text hex);

/// False for a file that makes no sense: `complaint` is then one sentence, with the line's number.
[[nodiscard]] bool parse_config(Text text, Config& config, Line& complaint);

}  // namespace gpuminer::baremetal
