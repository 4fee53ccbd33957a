// Fibers: functions with a stack of their own, running one at a time on one thread of the system.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include <ucontext.h>

namespace gpuminer::simulation {

class Fiber {
public:
    /// For what runs already: the thread itself.
    Fiber();
    /// Runs `body` when it is switched to for the first time. The body ends by end(), and throws nothing.
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Called by this fiber: goes on with another one. Returns when something goes on with this one.
    void switch_to(Fiber& next);
    /// As switch_to(), for the last time: this one never goes on.
    [[noreturn]] void end(Fiber& next);

private:
    void prepare();
    static void enter();
    void arrive();
    void leave(Fiber& next, bool for_ever);

    std::function<void()> body_;
    ucontext_t context_{};
    const void* stack_ = nullptr;  // lowest byte
    std::size_t stack_size_ = 0;
    bool owns_stack_ = false;
    void* fake_stack_ = nullptr;              // AddressSanitizer's
    std::array<std::byte, 16> exceptions_{};  // those that it handles, as the C++ library counts them by thread
};

}  // namespace gpuminer::simulation
