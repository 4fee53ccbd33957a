// The residual program: the operations of a double SHA-256 that partial evaluation leaves, as straight-line code in
// stages. The search for a nonce has five, by binding time:
//
//   job      once per header, on the host            inputs: tail words (and the midstate, fixed header)
//   version  once per header version, on the host    inputs: midstate, job words
//   nonce    once per nonce, shared by all versions   inputs: nonce, job words
//   hash1    once per nonce and version              inputs: all of these
//   hash2    once per nonce and version              inputs: hash1's digest; its result is H7
//
// The fixed-header program has no version and nonce stage. hash1 and hash2 may run back to back, or each over
// several vectors in turn: half the code at a time fits a CPU's instruction cache.
//
// The program for batches, double SHA-256 of 64-byte messages, has one stage a compression, for the same reason:
//
//   block1   the message itself                      inputs: message words
//   hash1    the padding after it, all constant      inputs: block1's state
//   hash2    the digest                              inputs: hash1's digest; it exports all eight words
//
// The compression of messages of any length has one stage, block1, whose inputs are a message's next 16 words and the
// state before them; it exports the state after them. Constant are the rounds' constants alone.
//
// Two programs compute message schedules alone, K + W for each round: for CPUs with instructions for the rounds.
// That of a header's second block has the stages job and nonce, that of a digest the stage block1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernel/word.hpp"

namespace gpuminer::kernel {

enum class StageName : std::uint8_t { kJob, kVersion, kNonce, kHash1, kHash2, kBlock1 };
/// The stages of a search and of a batch, in the order in which they run.
inline constexpr std::array kStages = {StageName::kJob, StageName::kVersion, StageName::kNonce, StageName::kHash1,
                                       StageName::kHash2};
inline constexpr std::array kBatchStages = {StageName::kBlock1, StageName::kHash1, StageName::kHash2};

inline constexpr std::array kHeaderScheduleStages = {StageName::kJob, StageName::kNonce};
inline constexpr std::array kDigestScheduleStages = {StageName::kBlock1};
inline constexpr std::array kCompressionStages = {StageName::kBlock1};

/// Rounds of the second hash that H7 depends on: the last two only move E of the round before them to H.
inline constexpr std::size_t kRoundsForH7 = 62;

/// Where an instruction's operand comes from.
enum class Source : std::uint8_t {
    kConstant,  ///< index is the value itself
    kMidstate,  ///< input word 0…7 (host stages)
    kTail,      ///< input word 0…2 (host stages)
    kNonce,     ///< the nonce as a message word: bytes swapped, as a header holds it little-endian
    kMessage,   ///< input word 0…15 (batch)
    kJob,       ///< exported by the job stage
    kVersion,   ///< exported by the version stage
    kShared,    ///< exported by the nonce stage
    kState,     ///< exported by block1: the state after a message's first block, word 0…7; input of the compression
    kDigest,    ///< exported by hash1: the first digest's word 0…7
    kHash,      ///< exported by hash2 (batch): the second digest's word 0…7
    kValue,     ///< result of an earlier instruction of the same stage
};

/// The table that a stage exports to.
[[nodiscard]] Source table_of(StageName stage);

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
    std::span<const StageName> order;  ///< the stages it has: kStages or kBatchStages
    std::array<Stage, 6> stages;
    Operand h7;  ///< last word of the second digest, in the hash2 stage (search)

    [[nodiscard]] const Stage& stage(StageName name) const { return stages[static_cast<std::size_t>(name)]; }
    [[nodiscard]] Stage& stage(StageName name) { return stages[static_cast<std::size_t>(name)]; }
};

/// The search for one header (`versions` == 1), or the one that shares the nonce stage among several.
[[nodiscard]] Program make_search_program(unsigned versions);
/// Double SHA-256 of 64 bytes: the nodes of a merkle tree.
[[nodiscard]] Program make_batch_program();
/// One block of any message, from any state.
[[nodiscard]] Program make_compression_program();
/// K + W of the 64 rounds over a header's second block; the nonce stage exports them.
[[nodiscard]] Program make_header_schedule();
/// K + W of the first kRoundsForH7 rounds over a digest (message words 0…7); block1 exports them.
[[nodiscard]] Program make_digest_schedule();

/// How many times each verb occurs in a stage: operations per nonce where each verb is one instruction.
[[nodiscard]] std::map<Op, std::uint64_t> count_verbs(const Stage& stage);

/// Runs all stages on numbers; returns H7. The test's way to check a program before any compiler.
[[nodiscard]] std::uint32_t interpret(const Program& program, const std::array<std::uint32_t, 8>& midstate,
                                      const std::array<std::uint32_t, 3>& tail, std::uint32_t nonce_word);
/// The same for the batch program: sixteen big-endian words of a message to the eight of its double hash.
[[nodiscard]] std::array<std::uint32_t, 8> interpret(const Program& program,
                                                     const std::array<std::uint32_t, 16>& message);
/// The same for the compression: the state after the block.
[[nodiscard]] std::array<std::uint32_t, 8> interpret(const Program& program, const std::array<std::uint32_t, 8>& state,
                                                     const std::array<std::uint32_t, 16>& message);
/// The same for the schedules: K + W, round by round.
[[nodiscard]] std::vector<std::uint32_t> interpret_header_schedule(const Program& program,
                                                                   const std::array<std::uint32_t, 3>& tail,
                                                                   std::uint32_t nonce_word);
[[nodiscard]] std::vector<std::uint32_t> interpret_digest_schedule(const Program& program,
                                                                   const std::array<std::uint32_t, 8>& digest);

}  // namespace gpuminer::kernel
