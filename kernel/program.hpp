// The residual program: what is left of the textbook's double hash for one nonce when everything known
// earlier has been computed earlier. Straight-line code in five stages, by binding time:
//
//   job      once per header, on the host            inputs: tail words (and the midstate, fixed header)
//   version  once per header version, on the host    inputs: midstate, job words
//   nonce    once per nonce, shared by all versions   inputs: nonce, job words
//   hash1    once per nonce and version              inputs: all of these
//   hash2    once per nonce and version              inputs: hash1's digest; its result is H7
//
// The fixed-header program has no version and nonce stage. hash1 and hash2 may run back to back, or each over
// several vectors in turn: half the code at a time fits a CPU's instruction cache.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "kernel/word.hpp"

namespace gpuminer::kernel {

enum class StageName : std::uint8_t { kJob, kVersion, kNonce, kHash1, kHash2 };
inline constexpr std::array kStages = {StageName::kJob, StageName::kVersion, StageName::kNonce, StageName::kHash1,
                                       StageName::kHash2};

/// Where an instruction's operand comes from.
enum class Source : std::uint8_t {
    kConstant,  ///< index is the value itself
    kMidstate,  ///< input word 0…7 (host stages)
    kTail,      ///< input word 0…2 (host stages)
    kNonce,     ///< the nonce as a message word: bytes swapped, as a header holds it little-endian
    kJob,       ///< exported by the job stage
    kVersion,   ///< exported by the version stage
    kShared,    ///< exported by the nonce stage
    kDigest,    ///< exported by hash1: the first digest's word 0…7
    kValue,     ///< result of an earlier instruction of the same stage
};

struct Operand {
    Source source = Source::kConstant;
    std::uint32_t index = 0;
    friend auto operator<=>(const Operand&, const Operand&) = default;
};

/// One verb; its result is the stage's value number <position in code>. Additions have two operands.
struct Instruction {
    Op op;
    std::uint32_t immediate;
    std::vector<Operand> operands;
};

struct Stage {
    std::vector<Instruction> code;
    std::vector<Operand> exports;  ///< the table that later stages read, slot by slot
};

struct Program {
    std::array<Stage, 5> stages;
    Operand h7;  ///< last word of the second digest, in the hash2 stage

    [[nodiscard]] const Stage& stage(StageName name) const { return stages[static_cast<std::size_t>(name)]; }
    [[nodiscard]] Stage& stage(StageName name) { return stages[static_cast<std::size_t>(name)]; }
};

/// The search for one header (`versions` == 1), or the one that shares the nonce stage among several.
[[nodiscard]] Program make_search_program(unsigned versions);

/// How many times each verb occurs in a stage: operations per nonce where each verb is one instruction.
[[nodiscard]] std::map<Op, std::uint64_t> count_verbs(const Stage& stage);

/// Runs all stages on numbers; returns H7. The test's way to check a program before any compiler.
[[nodiscard]] std::uint32_t interpret(const Program& program, const std::array<std::uint32_t, 8>& midstate,
                                      const std::array<std::uint32_t, 3>& tail, std::uint32_t nonce_word);

}  // namespace gpuminer::kernel
