#include "net/node/call_gate.hpp"

#include <chrono>

namespace gpuminer::net {
namespace {

constexpr std::chrono::minutes kBusyFor(1);

}  // namespace

bool CallGate::open() const { return under_way_ == 0 || steady_now() >= busy_until_; }

void CallGate::leave() {
    --under_way_;
    while (!waiting_.empty() && open()) {
        const auto next = std::move(waiting_.front().second);
        waiting_.pop_front();
        next();
    }
}

void CallGate::forget(const void* who) {
    std::erase_if(waiting_, [who](const auto& waiting) { return waiting.first == who; });
}

void CallGate::note_busy() { busy_until_ = steady_now() + kBusyFor; }

}  // namespace gpuminer::net
