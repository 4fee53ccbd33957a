// The search of one thread with a fast form of VerusHash.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "kernel/scan_job.hpp"
#include "verushash/block.hpp"
#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {

class Scanner {
public:
    /// `form`: one that this CPU can run.
    explicit Scanner(const FastForm& form);

    /// From now on this header's nonces are searched: of its canonical form all that they share is computed.
    void set_header(const Header& header);

    /// Appends the nonces of the range (not empty) whose hash's most significant 32 bits are at or below `target_top`,
    /// in no particular order; the version index is 0. After set_header().
    void scan(NonceRange range, std::uint32_t target_top, Candidates& candidates);

private:
    struct Aligned {
        void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{alignof(PreparedJob)}); }
    };

    const FastForm& form_;
    std::unique_ptr<PreparedJob> job_;
    std::unique_ptr<void, Aligned> workspace_;
    std::unique_ptr<Candidate[]> found_;
};

}  // namespace gpuminer::verushash
