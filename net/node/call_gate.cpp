#include "net/node/call_gate.hpp"

namespace gpuminer::net {
namespace {

constexpr std::chrono::minutes kBusyFor(1);
constexpr std::chrono::seconds kLongestWait(5);

}  // namespace

bool CallGate::enter(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, kLongestWait,
                      [this]() GPUMINER_REQUIRES(mutex_) { return under_way_ == 0 || Clock::now() >= busy_until_; });
    if (stop.stop_requested()) return false;
    ++under_way_;
    return true;
}

void CallGate::leave() {
    {
        const MutexLock lock(mutex_);
        --under_way_;
    }
    changed_.notify_all();
}

void CallGate::note_busy() {
    const MutexLock lock(mutex_);
    busy_until_ = Clock::now() + kBusyFor;
}

}  // namespace gpuminer::net
