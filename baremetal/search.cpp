#include "baremetal/search.hpp"

#include "baremetal/config.hpp"
#include "baremetal/line.hpp"
#include "baremetal/processor.hpp"
#include "host/block/well_known.hpp"
#include "kernel/header_words.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::baremetal {
namespace {

struct Scanned {
    std::size_t found = 0;  ///< candidates, perhaps more than there was room for
    std::uint64_t cycles = 0;
    bool own_code = false;  ///< the form's code ran
};

Scanned scan(Worker& worker, const Job& job, const cpu::Isa& form, const NonceRange& range, std::uint32_t target_top) {
    cpu::ScanArguments arguments{};
    arguments.midstates = job.midstate;
    arguments.tail = job.tail;
    arguments.job_words = job.job_words;
    arguments.versions = 1;
    arguments.target_top = target_top;
    arguments.sieve_mask = sieve_mask_of(target_top);
    arguments.first_nonce = range.first;
    arguments.count = range.count;
    arguments.candidates = worker.candidates;
    arguments.capacity = Worker::kCandidates;
    const std::uint64_t start = read_counter();
    form.scan(arguments);
    const std::uint64_t cycles = read_counter() - start;
    return {arguments.found, cycles, Text(arguments.scanned_by) == Text(form.name)};
}

/// What the checker says of the worker's candidates.
void check_candidates(Worker& worker, const Job& job, std::size_t found) {
    for (std::size_t i = 0; i < found; ++i) {
        const std::uint32_t nonce = worker.candidates[i].nonce;
        const Number256 hash = hash_of(job.header.with_nonce(nonce));
        if (hash.top_word() > job.target.top_word()) worker.failure = Failure::kWrongCandidate;
        if (!hash.at_most(job.target)) continue;
        if (worker.hits < Worker::kHits) worker.hit_nonces[worker.hits] = nonce;
        ++worker.hits;
    }
}

/// In halves where there are more candidates than there is room for.
void search_slice(Worker& worker, const Job& job, const cpu::Isa& form, const NonceRange& range) {
    const Scanned scanned = scan(worker, job, form, range, job.target.top_word());
    if (!scanned.own_code) worker.failure = Failure::kOtherCode;
    if (scanned.found > Worker::kCandidates) {
        const std::uint64_t half = range.count / 2;
        search_slice(worker, job, form, {range.first, half});
        search_slice(worker, job, form, {static_cast<std::uint32_t>(range.first + half), range.count - half});
        return;
    }
    worker.cycles.add_slice(scanned.cycles, range.count);
    worker.interruptions.add_slice(scanned.cycles, range.count);
    check_candidates(worker, job, scanned.found);
}

/// Whether the kernel finds in the range what the checker finds.
bool agrees(Worker& worker, const Job& job, const cpu::Isa& form, const NonceRange& range) {
    constexpr std::uint32_t kSievedTop = 0x00ffffff;  // one nonce in 256
    const Scanned scanned = scan(worker, job, form, range, kSievedTop);
    if (!scanned.own_code || scanned.found > Worker::kCandidates) return false;
    std::size_t expected = 0;
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = static_cast<std::uint32_t>(range.first + i);
        if (hash_of(job.header.with_nonce(nonce)).top_word() > kSievedTop) continue;
        ++expected;
        bool found = false;
        for (std::size_t j = 0; j < scanned.found; ++j) found = found || worker.candidates[j].nonce == nonce;
        if (!found) return false;
    }
    return scanned.found == expected;
}

}  // namespace

Job::Job(const Header& its_header, const Number256& its_target) : header(its_header), target(its_target) {
    static_assert(kFixedJobWords <= sizeof(job_words) / sizeof(job_words[0]));
    const Midstate midstate_words = midstate_of(header.bytes, header.version());
    const Tail tail_words = tail_of(header.bytes);
    for (std::size_t i = 0; i < midstate_words.size(); ++i) midstate[i] = midstate_words[i];
    for (std::size_t i = 0; i < tail_words.size(); ++i) tail[i] = tail_words[i];
    write_fixed_job_words(midstate_words, tail_words, job_words);
}

const char* failure_text(Failure failure) {
    switch (failure) {
        case Failure::kNotStarted: return "was not started by the firmware";
        case Failure::kLost: return "has not come back from its work";
        case Failure::kNoIsa: return "does not have the instructions that the boot processor has";
        case Failure::kOtherCode: return "ran the code of another instruction set: this program is built wrongly";
        case Failure::kMissed: return "does not find in its self-test what the checker finds";
        case Failure::kWrongCandidate: return "returned a nonce that the checker refuses";
        case Failure::kNone: break;
    }
    return "";
}

void prove(Worker& worker, const cpu::Isa& form) {
    worker.failure = Failure::kNoIsa;
    if (!usable(form, cpu::detect_features())) return;
    constexpr std::uint32_t kBefore = 1003;  // an odd number, so that vectors begin outside the range
    const Job genesis(header_of_digits(kGenesisHeader), {});
    const NonceRange around{genesis.header.nonce() - kBefore, std::uint64_t{2} * kBefore};
    const NonceRange at_the_end{0xffffffff - 256, 257};
    const bool proved = agrees(worker, genesis, form, around) && agrees(worker, genesis, form, at_the_end);
    worker.failure = proved ? Failure::kNone : Failure::kMissed;
}

void search(Worker& worker, const Job& job, const SearchOptions& options, const Pause& pause) {
    constexpr std::uint64_t kTicksBetweenPauses = std::uint64_t{1} << 28;  // 0.1 s, about
    worker.interrupts_open = interrupts_open();
    const std::uint64_t start = read_counter();
    std::uint64_t last_pause = start;
    while (worker.hashes < worker.piece.count && !__atomic_load_n(&options.stop, __ATOMIC_RELAXED)) {
        const std::uint64_t left = worker.piece.count - worker.hashes;
        const std::uint64_t count = left < options.slice ? left : options.slice;
        {
            const InterruptMask mask(options.mask_interrupts);  // not of a pause: firmware opens them in there
            search_slice(worker, job, *options.form,
                         {static_cast<std::uint32_t>(worker.piece.first + worker.hashes), count});
        }
        __atomic_store_n(&worker.hashes, worker.hashes + count, __ATOMIC_RELAXED);
        if (pause.function == nullptr || read_counter() - last_pause < kTicksBetweenPauses) continue;
        (void)pause.function(pause.argument);  // nobody waits for the one that searches
        last_pause = read_counter();
    }
    worker.ticks = read_counter() - start;
    worker.interruptions.finish();
}

std::uint64_t time_form(Worker& worker, const Job& job, const cpu::Isa& form, std::uint64_t count) {
    return scan(worker, job, form, {0, count}, 0).cycles;
}

}  // namespace gpuminer::baremetal
