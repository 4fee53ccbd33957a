// The search: each worker's part of the nonces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "baremetal/checker.hpp"
#include "cpu/isa_forms.hpp"
#include "host/cycle_stats.hpp"
#include "host/interruptions.hpp"
#include "kernel/scan_types.hpp"

namespace gpuminer::baremetal {

/// A header and a target as the kernels want them. Immutable while workers run.
struct Job {
    Job(const Header& header, const Number256& target);

    Header header;
    Number256 target;
    std::uint32_t midstate[8], tail[3], job_words[64];
};

struct SearchOptions {
    const cpu::Isa* form = nullptr;
    std::uint64_t slice = 1;  ///< nonces that are timed at a time
    bool mask_interrupts = false;
    bool stop = false;  ///< set by the boot processor while workers run: end after the slice
};

enum class Failure : std::uint8_t { kNone, kNotStarted, kLost, kNoIsa, kOtherCode, kMissed, kWrongCandidate };
/// "has no such instructions": to follow the processor's number.
[[nodiscard]] const char* failure_text(Failure failure);

/// How far a worker is with its task.
enum class Stage : std::uint8_t { kWaiting, kWorking, kBack };

/// What one processor searches and finds. Written by that processor alone, but for what is set up before.
struct alignas(64) Worker {
    static constexpr std::size_t kCandidates = 1024;
    static constexpr std::size_t kHits = 64;

    std::size_t processor = 0;  ///< the firmware's number of it
    NonceRange piece;

    Stage stage = Stage::kWaiting;
    Failure failure = Failure::kNotStarted;  ///< until it proves itself
    CycleStats cycles;
    Interruptions interruptions;
    bool interrupts_open = false;  ///< as the firmware has them on it
    std::uint64_t ticks = 0;       ///< of the counter, from the first slice to the end of the last, checks included
    std::uint64_t hashes = 0;      ///< nonces searched so far
    std::uint64_t hits = 0;
    std::uint32_t hit_nonces[kHits] = {};  ///< the first of them
    Candidate candidates[kCandidates];

    /// What is searched so far, for the boot processor.
    [[nodiscard]] std::uint64_t progress() const { return __atomic_load_n(&hashes, __ATOMIC_RELAXED); }
    /// For the boot processor; all that a worker wrote can be read once it is back.
    [[nodiscard]] Stage reached() const {
        Stage now{};
        __atomic_load(&stage, &now, __ATOMIC_ACQUIRE);
        return now;
    }
    void reach(Stage now) { __atomic_store(&stage, &now, __ATOMIC_RELEASE); }
};

/// To be called now and then: by whoever waits for workers, or, between slices, by the boot processor where it works.
struct Pause {
    bool (*function)(void*) = nullptr;  ///< false: there is no use in waiting any longer
    void* argument = nullptr;
};

/// Whether this processor has the form's instructions, and finds with them what the checker finds, among some 2,000
/// nonces and at the range's end. (Its vector registers are enabled.) Says in `worker.failure` what is wrong.
void prove(Worker& worker, const cpu::Isa& form);

/// Searches worker.piece.
void search(Worker& worker, const Job& job, const SearchOptions& options, const Pause& pause);

/// Cycles that the form takes for the first `count` nonces of the job.
[[nodiscard]] std::uint64_t time_form(Worker& worker, const Job& job, const cpu::Isa& form, std::uint64_t count);

}  // namespace gpuminer::baremetal
