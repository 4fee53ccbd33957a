// The forms of the search as a table. Needs no library: baremetal/ has none, and takes its own copy of the table, as
// does code by another compiler (hence no inline variable).
#pragma once

#include "cpu/machine/features.hpp"
#include "cpu/scan/scan_function.hpp"

namespace gpuminer::cpu {

/// An instruction set, in one of the forms that the search is written in for it.
struct Isa {
    const char* name;         ///< as in --isa and in device names
    const char* description;  ///< "16 nonces per vector": no other form of the same name has it
    ScanFunction scan;
    bool Features::*needs;  ///< null: every CPU has it
    const char* missing;    ///< why a CPU without it cannot run it
};

/// The simplest ISA first; rows of one name follow each other, and none needs less than the first.
constexpr Isa kIsaForms[] = {
#define GPUMINER_SEARCH(isa, function, need, description, ...) \
    {#isa, description, function, Needs::need().feature, Needs::need().missing},
#include "cpu/isa_list.inc"
};

[[nodiscard]] inline bool usable(const Isa& isa, const Features& features) {
    return isa.needs == nullptr || features.*isa.needs;
}

}  // namespace gpuminer::cpu
