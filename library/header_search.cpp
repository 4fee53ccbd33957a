#include "library/header_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/form_watch.hpp"
#include "cpu/machine/features.hpp"

namespace gpuminer::library {
namespace {

using baremetal::Header;
using baremetal::Number256;

/// Nonces that a search takes by itself before it starts threads: less time than starting them takes.
constexpr std::uint64_t kAlone = 1 << 14;
constexpr std::uint64_t kLargestStep = 1 << 16;  ///< some milliseconds: as long a thread may take to see its end

/// Those that can run here, and in front the first form of the last ISA, which usually is the fastest.
std::vector<const cpu::Isa*> forms_by_expectation() {
    std::vector<const cpu::Isa*> forms = cpu::usable_forms("auto", cpu::detect_features());
    const auto first = std::ranges::find(forms, std::string_view(forms.back()->name), &cpu::Isa::name);
    std::rotate(forms.begin(), first, forms.end());
    return forms;
}

/// Found once a process, as asking a virtual machine's CPU for its features takes long; not by a static variable in
/// the function, as a child that is forked in the meantime would wait for its guard for ever.
const cpu::Isa& expected_form() {
    static std::atomic<const cpu::Isa*> known{nullptr};
    const cpu::Isa* form = known.load(std::memory_order_relaxed);
    if (form == nullptr) {
        form = forms_by_expectation().front();
        known.store(form, std::memory_order_relaxed);
    }
    return *form;
}

Header header_of(const gm_search& request) {
    Header header;
    std::memcpy(header.bytes, request.header, sizeof header.bytes);
    return header;
}

/// A first step: the hashes that a hit takes on average.
std::uint64_t first_step(const Number256& target) {
    constexpr std::uint64_t kSmallest = 16;
    const std::uint64_t expected = (std::uint64_t{1} << 32) / (std::uint64_t{target.top_word()} + 1);
    return std::bit_ceil(std::clamp(expected, kSmallest, kAlone));
}

/// While there is one, this thread is not cancelled: joining others would be a point for that, in a destructor.
class CancellationDisabled {
public:
    CancellationDisabled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~CancellationDisabled() { pthread_setcancelstate(before_, nullptr); }
    CancellationDisabled(const CancellationDisabled&) = delete;
    CancellationDisabled& operator=(const CancellationDisabled&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// While there is one, the threads that are started get no signals: they are for the program's own.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
};

}  // namespace

HeaderSearch::HeaderSearch(const gm_search& request, const Number256& target)
    : header_(header_of(request)),
      target_(target),
      job_(header_.bytes, std::array{header_.version()}, target.top_word()),
      first_(request.first),
      past_(std::uint64_t{request.last} + 1),
      threads_(request.threads),
      seconds_(request.seconds),
      cancel_(const_cast<const int*>(request.cancel)),
      next_(request.first) {}

int HeaderSearch::run(gm_search_result& result) {
    const cpu::Isa& form = expected_form();
    if (run_alone(form)) run_threads(form);
    if (error_ != GM_OK) return error_;
    gm_search_result found{};
    found.hashes = hashes_;
    found.end = lowest_ != kNone ? GM_FOUND : found.hashes == past_ - first_ ? GM_EXHAUSTED : end_.load();
    if (found.end == GM_FOUND) {
        found.nonce = static_cast<std::uint32_t>(lowest_);
        std::memcpy(found.hash, hash_of(header_.with_nonce(found.nonce)).bytes, sizeof found.hash);
    }
    result = found;
    return GM_OK;
}

bool HeaderSearch::may_go_on() {
    if (cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED) != 0) end(GM_CANCELLED);
    if (seconds_ > 0 && seconds_since(start_) >= seconds_) end(GM_TIME_LIMIT);
    return end_ == GM_EXHAUSTED && error_ == GM_OK;
}

void HeaderSearch::end(gm_end why) {
    int going_on = GM_EXHAUSTED;
    end_.compare_exchange_strong(going_on, why);  // the first reason counts
}

bool HeaderSearch::step(const cpu::Isa& form, std::uint64_t count) {
    if (!may_go_on()) return false;
    const std::uint64_t first = next_.fetch_add(count);
    if (first >= past_ || first > lowest_) return false;
    scan(form, {static_cast<std::uint32_t>(first), std::min(count, past_ - first)});
    return true;
}

void HeaderSearch::scan(const cpu::Isa& form, NonceRange range) {
    std::array<Candidate, 256> candidates;
    const std::size_t found = cpu::scan(form, job_, range, candidates).found;
    if (found > candidates.size()) {  // the halves have fewer
        const std::uint64_t half = range.count / 2;
        scan(form, {range.first, half});
        scan(form, {static_cast<std::uint32_t>(range.first + half), range.count - half});
        return;
    }
    hashes_ += range.count;
    const auto in_order = std::span(candidates).first(found);
    std::ranges::sort(in_order, {}, &Candidate::nonce);
    for (const Candidate& candidate : in_order) {
        if (candidate.nonce >= lowest_) return;
        check(candidate.nonce);
    }
}

void HeaderSearch::check(std::uint32_t nonce) {
    const Number256 hash = hash_of(header_.with_nonce(nonce));
    if (hash.at_most(target_)) {
        std::uint64_t lowest = lowest_;
        while (nonce < lowest && !lowest_.compare_exchange_weak(lowest, nonce)) {
        }
    } else if (hash.top_word() > target_.top_word()) {  // a device passes on what has the top word alone
        error_ = GM_ERROR_CHECK;
    }
}

bool HeaderSearch::run_alone(const cpu::Isa& form) {
    for (std::uint64_t count = first_step(target_); hashes_ < kAlone; count *= 2) {
        if (!step(form, count)) return false;
    }
    return true;
}

void HeaderSearch::run_on(const cpu::Isa& form) noexcept {
    try {
        std::vector<const cpu::Isa*> others = forms_by_expectation();
        std::erase(others, &form);
        cpu::FormWatch watch(form, std::move(others));
        for (std::uint64_t count = kAlone;; count = std::min(2 * count, kLargestStep)) {
            if (!step(watch.current(), count)) return;
            if (!watch.due(seconds_since(start_))) continue;
            (void)watch.compare([this](const cpu::Isa& compared) {
                const auto start = threads::Clock::now();
                (void)step(compared, cpu::FormWatch::kHashes);
                return seconds_since(start);
            });
        }
    } catch (...) {  // std::bad_alloc alone
        error_ = GM_ERROR_MEMORY;
    }
}

void HeaderSearch::run_threads(const cpu::Isa& form) {
    const CancellationDisabled not_cancelled;
    const std::uint64_t left = past_ - std::min(past_, next_.load());
    const std::uint64_t useful = std::min<std::uint64_t>(threads_, (left + kAlone - 1) / kAlone);
    std::vector<threads::JoiningThread> others;
    try {
        const SignalsBlocked blocked;
        others.reserve(useful);
        while (others.size() + 1 < useful) others.emplace_back([this, &form] { run_on(form); });
    } catch (const std::exception&) {  // no more threads, or no memory for them: those that there are will do
    }
    run_on(form);
}

}  // namespace gpuminer::library
