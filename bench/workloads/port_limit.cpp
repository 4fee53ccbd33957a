#include "bench/workloads/port_limit.hpp"

#include "cpu/isa.hpp"
#include "kernel/print.hpp"
#include "kernel/program.hpp"

namespace gpuminer::bench {
namespace {

using cpu::Vocabulary;

/// sha256rnds2 instructions, of two rounds each. Of a hash's two times 64 rounds the first four and the last two need
/// none; woven with vectors (several lanes), the first two and the last two. An input has three times 64.
constexpr double kShaRoundsPerHash = 61, kShaRoundsPerWovenHash = 62, kShaRoundsPerInput = 96;
/// sha256h and sha256h2, of which two are four rounds: of a hash the first four rounds are additions, and of the last
/// four one half is not needed.
constexpr double kShaHalfRoundsPerHash = 2 * 30 + 1, kShaHalfRoundsPerInput = 96;

double operations_of(Vocabulary vocabulary, const kernel::Stage& stage) {
    const auto count = vocabulary == Vocabulary::kThreeOperands ? kernel::avx512_operations
                       : vocabulary == Vocabulary::kSelects     ? kernel::neon_operations
                                                                : kernel::avx2_operations;
    return static_cast<double>(count(stage));
}

/// kUncounted for an ISA that there is not.
Vocabulary vocabulary_of(std::string_view isa) {
    const cpu::IsaFacts* const facts = cpu::facts_of(isa);
    return facts == nullptr ? Vocabulary::kUncounted : facts->vocabulary;
}

}  // namespace

std::optional<double> operations_per_hash(std::string_view isa, unsigned versions) {
    const Vocabulary vocabulary = vocabulary_of(isa);
    if (vocabulary == Vocabulary::kUncounted) return std::nullopt;
    if (vocabulary == Vocabulary::kShaRounds)
        return cpu::facts_of(isa)->lanes == 1 ? kShaRoundsPerHash : kShaRoundsPerWovenHash;
    if (vocabulary == Vocabulary::kShaHalfRounds) return kShaHalfRoundsPerHash;
    const kernel::Program program = kernel::make_search_program(versions);
    const auto count = [&](kernel::StageName name) { return operations_of(vocabulary, program.stage(name)); };
    constexpr double kTest = 1;  // whether any lane is a candidate
    const double per_vector = count(kernel::StageName::kNonce) / versions + count(kernel::StageName::kHash1) +
                              count(kernel::StageName::kHash2) + kTest;
    return per_vector / cpu::facts_of(isa)->lanes;
}

std::optional<double> operations_per_input(const cpu::BatchKernel& kernel) {
    const Vocabulary vocabulary = vocabulary_of(kernel.isa);
    if (vocabulary == Vocabulary::kUncounted) return std::nullopt;
    if (vocabulary == Vocabulary::kShaRounds) return kShaRoundsPerInput;
    if (vocabulary == Vocabulary::kShaHalfRounds) return kShaHalfRoundsPerInput;
    const kernel::Program program = kernel::make_batch_program();
    double operations = 0;
    for (const kernel::StageName name : program.order) operations += operations_of(vocabulary, program.stage(name));
    return operations / static_cast<double>(kernel.width);
}

}  // namespace gpuminer::bench
