// The residual program as text.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "kernel/program.hpp"

namespace gpuminer::kernel {

/// "job", "hash1", …: as in --stage and in the neutral text.
[[nodiscard]] const char* name_of(StageName stage);

/// For people and other tools: one instruction a line ("x12 = add x7 job[3]"), all stages.
void print_neutral(std::ostream& out, const Program& program);

/// Text for GPUs has verbs of their own for what a prelude may give to one or another pipe: `add_uniform(u, x)` adds a
/// word u that is the same for every nonce (a constant, or one of the job's or the version's), `add_rotr(x, y, n)` is
/// x + rotr(y, n) in programs from rotate_late(), and some rotations, evenly spread, are `rotr_wide` (a multiplication
/// whose result is two words wide). `maj_next(x, y, z)` follows a `maj` with x and y for its y and z: a prelude can
/// write both so that they share an operation of those two.
struct GpuText {
    unsigned wide_percent = 0;  ///< of the rotations
};

/// Statements in the common subset of C++, CUDA, OpenCL C and GLSL, for a prelude that defines the type
/// `word`, the verbs `add rotr shr xor3 ch maj`, and where words come from and go to:
/// `constant(value)  midstate(i)  tail(i)  nonce  job(i)  version(i)  shared(i)  digest(i)`,
/// `export_job(i, x)  export_version(i, x)  export_shared(i, x)  export_digest(i, x)`. hash2 ends with `word h7 = …;`.
/// A batch: `constant(value)  message(i)  state(i)  digest(i)`, `export_state(i, x)  export_digest(i, x)
/// export_hash(i, x)`. The compression has `state(i)` beside `message(i)`, and reads both before it exports.
void print_statements(std::ostream& out, const Program& program, StageName stage, const GpuText* gpu = nullptr);

/// One such statement: "word x7 = add(x6, job(3));". `prefix` begins the names of the stage's values, `suffix` ends the
/// verb's.
[[nodiscard]] std::string statement(const Instruction& instruction, std::size_t number, const std::string& prefix = "x",
                                    const char* suffix = "");
/// An operand as in a statement.
[[nodiscard]] std::string statement_operand(const Operand& operand, const std::string& prefix = "x");

/// C++ constants with the sizes of the exported tables, each name with `prefix` in it: "kFixedJobWords".
void print_table_sizes(std::ostream& out, const Program& program, const char* prefix);

/// The constants of the devices' stages (nonce, hash1, hash2) of some programs, ascending and each once, a line for
/// each: "CONSTANT(0x00000001u)". A device that takes no constants as operands gets them as a table.
void print_constants(std::ostream& out, std::span<const Program> programs);

/// Verbs by stage, and operations per vector for the vocabularies of AVX-512 (each verb is one
/// instruction) and AVX2 (no rotate, two-operand logic).
void print_counts(std::ostream& out, const Program& program);

/// Operations per vector of nonces in one stage, AVX-512 vocabulary.
[[nodiscard]] std::uint64_t avx512_operations(const Stage& stage);
/// The same for AVX2 and SSE4.1: a rotation is two shifts and an or, `maj` shares a term with the round before.
[[nodiscard]] std::uint64_t avx2_operations(const Stage& stage);
/// The same for NEON: a rotation is a shift and one that inserts, `ch` a select, `maj` that and an exclusive or.
[[nodiscard]] std::uint64_t neon_operations(const Stage& stage);

}  // namespace gpuminer::kernel
