#include "tests/simulation/fiber.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <sys/mman.h>

#include "tests/simulation/sanitized.hpp"

#ifdef GPUMINER_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gpuminer::simulation {
namespace {

constexpr std::size_t kStackSize = kSanitized ? 1 << 18 : 1 << 17;
constexpr std::size_t kGuard = 1 << 12;  // below it: no access

Fiber* leaving = nullptr;  // while one goes on with another
Fiber* arriving = nullptr;

// Stacks are used again: there are thousands of fibers a second.
std::vector<std::byte*>& free_stacks() {
    static std::vector<std::byte*> stacks;
    return stacks;
}

std::byte* take_stack() {
    if (!free_stacks().empty()) {
        std::byte* const stack = free_stacks().back();
        free_stacks().pop_back();
        return stack;
    }
    void* const memory =
        mmap(nullptr, kGuard + kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kGuard, PROT_NONE) != 0) throw std::bad_alloc();
    return static_cast<std::byte*>(memory) + kGuard;
}

}  // namespace

Fiber::Fiber() = default;

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(take_stack()), stack_size_(kStackSize), owns_stack_(true) {
    prepare();
}

void Fiber::prepare() {
    void* const stack = const_cast<void*>(stack_);
#ifdef GPUMINER_ADDRESS_SANITIZER
    ASAN_UNPOISON_MEMORY_REGION(stack, kStackSize);  // of the last one that used it, which never returned
#endif
    if (getcontext(&context_) != 0) std::abort();
    context_.uc_stack.ss_sp = stack;
    context_.uc_stack.ss_size = kStackSize;
    makecontext(&context_, &Fiber::enter, 0);
    context_.uc_stack = {};  // or AddressSanitizer forgets all that it knows of the stack at each switch
}

Fiber::~Fiber() {
    if (owns_stack_) free_stacks().push_back(static_cast<std::byte*>(const_cast<void*>(stack_)));
}

void Fiber::enter() {
    Fiber& self = *arriving;
    self.arrive();
    self.body_();
    std::abort();  // it had to end by end()
}

void Fiber::arrive() {
#ifdef GPUMINER_ADDRESS_SANITIZER
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
    if (leaving->stack_ == nullptr) {  // the thread itself
        leaving->stack_ = bottom;
        leaving->stack_size_ = size;
    }
#endif
    std::memcpy(abi::__cxa_get_globals(), exceptions_.data(), exceptions_.size());
}

void Fiber::leave(Fiber& next, [[maybe_unused]] bool for_ever) {
    std::memcpy(exceptions_.data(), abi::__cxa_get_globals(), exceptions_.size());
    leaving = this;
    arriving = &next;
#ifdef GPUMINER_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake_stack_, next.stack_, next.stack_size_);
#endif
}

void Fiber::switch_to(Fiber& next) {
    leave(next, false);
    if (swapcontext(&context_, &next.context_) != 0) std::abort();
    arrive();
}

void Fiber::end(Fiber& next) {
    leave(next, true);
    setcontext(&next.context_);
    std::abort();
}

}  // namespace gpuminer::simulation
