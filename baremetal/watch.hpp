// The boot processor's loop while workers search: Escape, progress, and a watchdog.
#pragma once

#include <cstdint>

#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/report.hpp"
#include "baremetal/search.hpp"

namespace gpuminer::baremetal {

class Watch {
public:
    /// The largest slice takes a processor 17 s at 1 MH/s.
    static constexpr std::uint64_t kSecondsWithoutProgress = 120;

    Watch(const Firmware& firmware, const Console& console, const Run& run, SearchOptions& options)
        : firmware_(firmware), console_(console), run_(run), options_(options) {
        firmware.forget_keys();
    }

    [[nodiscard]] Pause pause();

private:
    /// Waits a tenth of a second, if the boot processor is free to. Escape ends the search. False: no worker has ended
    /// a slice for long.
    [[nodiscard]] bool look();
    [[nodiscard]] bool has_progress(std::uint64_t now);
    void look_for_escape();
    void stop();

    const Firmware& firmware_;
    const Console& console_;
    const Run& run_;
    SearchOptions& options_;
    // Of the counter:
    std::uint64_t next_line_ = 0, last_progress_ = 0;
    std::uint64_t hashes_ = ~std::uint64_t{0};  ///< at last_progress_
};

}  // namespace gpuminer::baremetal
