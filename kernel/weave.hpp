// Rounds by SHA instructions and message schedules by vector code, printed as one text in which the statements of
// both take turns: so that a CPU whose compiler leaves them in that order keeps both units busy.
//
// A unit is eight nonces, one to each lane of a vector of 32-bit words. What the text computes of a unit goes to the
// next step through memory, and each step works on another unit: in one pass of the loop that includes the text, the
// second hash's rounds of one unit, the schedule of the next, the first hash's rounds of the one after that, and (fixed
// header) the first schedule of the one after that.
//
// The prelude defines the type `word`, the verbs, `constant(value)`, `job(i)` and `nonce` as for print_statements(),
// and, with hash H (1 or 2), nonce N of the unit (0…7), slot S (a place for the state of one nonce in registers) and
// pair P (of rounds 2P and 2P+1):
//
//   store_hashH(P, x, y)          x and y are K+W of the pair's rounds, for each nonce
//   share_hashH(P, x, y)          the same where they are numbers, alike for all nonces: once per job
//   begin_hashH(S, N)             the state before the first round that the text has: pair 1 (first hash), 0 (second)
//   rounds_hashH(S, P, N)         two rounds with what was stored
//   shared_rounds_hashH(S, P)     two rounds with what was shared
//   end_hashH(S, N)               the state is to be kept: after pair 31, or 30 (second hash, whose H7 is then known)
//   load_digests()                what end_hash1() kept of a unit, as `message(0)` … `message(7)`
#pragma once

#include <iosfwd>

namespace gpuminer::kernel {

inline constexpr unsigned kUnit = 8;  ///< nonces

enum class WovenText : unsigned char {
    kFixed,     ///< one pass, with the first schedule
    kRolled,    ///< one pass for a version, without it
    kSchedule,  ///< the first schedule alone, for all versions
    kShared,    ///< what is alike for all nonces of a job, over numbers: to be run before all others
};

/// `slots`: how many nonces' rounds take turns, so that one waits for the latency of the others' instructions;
/// divides kUnit.
void print_woven(std::ostream& out, WovenText text, unsigned slots);

}  // namespace gpuminer::kernel
