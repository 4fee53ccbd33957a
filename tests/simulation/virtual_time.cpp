#include "tests/simulation/virtual_time.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpuminer::simulation {
namespace {

VirtualTime* current_time = nullptr;

}  // namespace

VirtualTime::VirtualTime() {
    if (std::exchange(current_time, this) != nullptr) std::abort();
}

VirtualTime::~VirtualTime() { current_time = nullptr; }

VirtualTime& VirtualTime::current() {
    if (current_time == nullptr) std::abort();
    return *current_time;
}

void VirtualTime::at(net::SteadyTime time, Task task) { queue_.emplace(std::max(time, now_), std::move(task)); }

bool VirtualTime::run_next(net::SteadyTime last) {
    if (queue_.empty() || queue_.begin()->first > last) {
        now_ = std::max(now_, last);
        return false;
    }
    const auto next = queue_.extract(queue_.begin());
    now_ = next.key();
    ++count_;
    next.mapped()();
    return true;
}

}  // namespace gpuminer::simulation
