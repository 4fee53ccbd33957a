#include "tests/simulation/pool_world.hpp"

#include <cstdlib>
#include <utility>

#include "tests/simulation/pool_model.hpp"

namespace gpuminer::simulation {
namespace {

PoolWorld* current_world = nullptr;

}  // namespace

PoolWorld::PoolWorld(std::uint64_t seed, Tally& counts) : random(seed), tally(counts), ledger(*this), disk(*this) {
    if (std::exchange(current_world, this) != nullptr) std::abort();
}

PoolWorld::~PoolWorld() { current_world = nullptr; }

PoolWorld& PoolWorld::current() { return *current_world; }

void PoolWorld::fail(const std::string& why) {
    if (!failure_) failure_ = why;
}

std::chrono::nanoseconds some_time(Random& random, std::chrono::milliseconds least, std::chrono::milliseconds most) {
    const auto nanoseconds = [](std::chrono::milliseconds time) {
        return static_cast<std::uint64_t>(time.count()) * 1'000'000;
    };
    return std::chrono::nanoseconds(random.spread(nanoseconds(least), nanoseconds(most)));
}

}  // namespace gpuminer::simulation
