// The instruction sets that the search is written for: the list (isa_list.inc) as tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cpu/features.hpp"
#include "cpu/scan_function.hpp"

namespace gpuminer::cpu {

/// An instruction set, in one of the forms that the search is written in for it.
struct Isa {
    const char* name;         ///< as in --isa and in device names
    const char* description;  ///< "16 nonces per vector": no other form of the same name has it
    ScanFunction scan;
    bool Features::*needs;  ///< null: every CPU has it
    const char* missing;    ///< why a CPU without it cannot run it
};

/// How the operations of a hash that cannot be avoided are counted.
enum class Vocabulary : unsigned char {
    kUncounted,
    kTwoOperands,    ///< vectors: a rotation takes three instructions (kernel::avx2_operations())
    kThreeOperands,  ///< vectors: rotations and logic of three operands (kernel::avx512_operations())
    kShaRounds       ///< sha256rnds2
};

/// What an ISA is, whether this CPU has it or not.
struct IsaFacts {
    std::string_view name;
    const char* title;  ///< "AVX-512"
    unsigned lanes;     ///< words per vector
    Vocabulary vocabulary;
};
/// In the order of isas().
[[nodiscard]] std::span<const IsaFacts> isa_facts();
/// Null if there is none of that name.
[[nodiscard]] const IsaFacts* facts_of(std::string_view name);

/// Every ISA in its first form, the simplest ISA first. (cpu/form_choice.hpp: which form is the fastest one here.)
[[nodiscard]] std::span<const Isa> isas();
/// Every form of every ISA: rows of one name follow each other, and none needs less than the first.
[[nodiscard]] std::span<const Isa> isa_forms();
/// The first form; null if there is none of that name.
[[nodiscard]] const Isa* find_isa(std::string_view name);
/// Null if there is none.
[[nodiscard]] const Isa* find_form(std::string_view name, std::string_view description);
[[nodiscard]] inline bool usable(const Isa& isa, const Features& features) {
    return isa.needs == nullptr || features.*isa.needs;
}

struct ScanOutcome {
    std::size_t found = 0;             ///< more than there was room for: the rest is lost
    const char* scanned_by = nullptr;  ///< name of the ISA whose code ran
};
/// Runs `isa` over the range, which must not be empty; what it finds goes to the front of `candidates`.
ScanOutcome scan(const Isa& isa, const ScanJob& job, NonceRange range, std::span<Candidate> candidates);

}  // namespace gpuminer::cpu
