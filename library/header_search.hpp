// The search for a nonce of one header, by one thread or many.
#pragma once

#include <atomic>
#include <cstdint>

#include "baremetal/checker.hpp"
#include "cpu/isa.hpp"
#include "host/threads.hpp"
#include "kernel/sha256d_job.hpp"
#include "library/include/gpuminer.h"

namespace gpuminer::library {

/// One search. Threads take ranges in ascending order; one that has found a hit lets the others finish lower ranges, so
/// that the result is the lowest nonce, however many threads there are.
class HeaderSearch {
public:
    /// `request`: first at most last, threads not 0; its target is not looked at. Throws std::bad_alloc.
    HeaderSearch(const gm_search& request, const baremetal::Number256& target);

    /// A gm_error; `result` is written where it is GM_OK. To be called once. Throws std::bad_alloc.
    [[nodiscard]] int run(gm_search_result& result);

private:
    [[nodiscard]] bool may_go_on();
    void end(gm_end why);
    /// Searches the next `count` nonces. False where there is no more to do.
    bool step(const cpu::Isa& form, std::uint64_t count);
    void scan(const cpu::Isa& form, NonceRange range);
    void check(std::uint32_t nonce);
    /// For small searches, without another thread and without looking for a faster form.
    [[nodiscard]] bool run_alone(const cpu::Isa& form);
    void run_on(const cpu::Isa& form) noexcept;
    void run_threads(const cpu::Isa& form);

    const baremetal::Header header_;
    const baremetal::Number256 target_;
    const Sha256dJob job_;
    const std::uint64_t first_, past_;  ///< the range, without its end
    const unsigned threads_;
    const double seconds_;
    const int* const cancel_;
    const threads::Clock::time_point start_ = threads::Clock::now();

    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::atomic<std::uint64_t> next_;
    std::atomic<std::uint64_t> lowest_{kNone};  ///< of the hits
    std::atomic<std::uint64_t> hashes_{0};
    std::atomic<int> end_{GM_EXHAUSTED};
    std::atomic<int> error_{GM_OK};
};

}  // namespace gpuminer::library
