#include "tests/simulation/world.hpp"

#include <utility>

namespace gpuminer::simulation {
namespace {

World* current_world = nullptr;

}  // namespace

World::World(std::uint64_t seed, Tally& counts, DiskWatcher& watcher)
    : random(seed), tally(counts), disk(*this, watcher) {
    if (std::exchange(current_world, this) != nullptr) std::abort();
}

World::~World() { current_world = nullptr; }

World& World::current() { return *current_world; }

void World::fail(const std::string& why) {
    if (!failure_) failure_ = why;
}

std::chrono::nanoseconds some_time(Random& random, std::chrono::milliseconds least, std::chrono::milliseconds most) {
    const auto nanoseconds = [](std::chrono::milliseconds time) {
        return static_cast<std::uint64_t>(time.count()) * 1'000'000;
    };
    return std::chrono::nanoseconds(random.spread(nanoseconds(least), nanoseconds(most)));
}

}  // namespace gpuminer::simulation
