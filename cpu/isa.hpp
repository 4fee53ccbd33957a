// The instruction sets that the search is written for: the list (isa_list.inc) as tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cpu/isa_forms.hpp"
#include "kernel/sha256d_job.hpp"

namespace gpuminer::cpu {

/// How the operations of a hash that cannot be avoided are counted.
enum class Vocabulary : unsigned char {
    kUncounted,
    kTwoOperands,    ///< vectors: a rotation takes three instructions (kernel::avx2_operations())
    kThreeOperands,  ///< vectors: rotations and logic of three operands (kernel::avx512_operations())
    kSelects,        ///< vectors: a rotation takes two instructions, a selection one (kernel::neon_operations())
    kShaRounds,      ///< sha256rnds2: two rounds
    kShaHalfRounds   ///< sha256h, sha256h2: four rounds for either half of the state
};
[[nodiscard]] constexpr bool uses_sha_unit(Vocabulary vocabulary) {
    return vocabulary == Vocabulary::kShaRounds || vocabulary == Vocabulary::kShaHalfRounds;
}

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

/// Those that can run with `features`; of one ISA, or of any where `isa` is "auto"; "avx512:2" is the second of one.
/// In the order of isa_forms().
[[nodiscard]] std::vector<const Isa*> usable_forms(std::string_view isa, const Features& features);

struct ScanOutcome {
    std::size_t found = 0;             ///< more than there was room for: the rest is lost
    const char* scanned_by = nullptr;  ///< name of the ISA whose code ran
};
/// Runs `isa` over the range, which must not be empty; what it finds goes to the front of `candidates`.
ScanOutcome scan(const Isa& isa, const Sha256dJob& job, NonceRange range, std::span<Candidate> candidates);

}  // namespace gpuminer::cpu
