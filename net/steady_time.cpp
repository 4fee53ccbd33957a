#include "net/steady_time.hpp"

namespace gpuminer::net {

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

std::int64_t unix_milliseconds() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace gpuminer::net
