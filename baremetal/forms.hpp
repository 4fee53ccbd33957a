// Choice of the form of the search: by configuration and processor, the fastest of the instruction set's forms.
#pragma once

#include <cstdint>

#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/search.hpp"

namespace gpuminer::baremetal {

/// The first form of the instruction set that the configuration names, or of the last one that this processor has.
/// Null: it has not got it, and that was said.
[[nodiscard]] const cpu::Isa* choose_isa(const Console& console, const Config& config);

/// For time_forms().
struct FormTiming {
    static constexpr std::uint64_t kNonces = 1u << 13;

    const Job& job;
    const Worker* worker;      ///< the only one that times
    const cpu::Isa* chosen;    ///< of whose instruction set the forms are
    const cpu::Isa* fastest;   ///< out
    std::uint64_t cycles = 0;  ///< out: of the fastest, for kNonces
};

/// Times the forms, where this is the worker that does.
void time_forms(Worker& worker, FormTiming& timing);

}  // namespace gpuminer::baremetal
