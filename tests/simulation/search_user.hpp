// The user of a simulated search: pauses and resumes it and its devices, for several reasons, and looks at it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "host/search/fleet.hpp"
#include "host/search/search.hpp"
#include "tests/simulation/search_world.hpp"

namespace gpuminer::simulation {

class SearchUser {
public:
    SearchUser(World& world, const Fleet& fleet, Search& search) : world_(world), fleet_(fleet), search_(search) {}

    void act() {
        switch (random_.below(5)) {
            case 0: return pause_or_resume();
            case 1: return pause_or_resume(World::name(random_.below(world_.plans().size())));
            case 2: return (void)search_.progress();
            case 3: return (void)search_.take_notices();
            default: return (void)fleet_.ready();
        }
    }
    void resume_everything() {
        while (world_.pauses.paused()) pause_or_resume();
        for (std::size_t i = 0; i < world_.plans().size(); ++i) {
            while (world_.device_pauses[World::name(i)].paused()) pause_or_resume(World::name(i));
        }
    }

private:
    void pause_or_resume() {
        const PauseReason reason = random_.one_of(PauseReason::kUser, PauseReason::kBattery);
        world_.pauses.change(reason, [&](bool paused) { search_.set_paused(paused, reason); });
    }
    /// A device can be paused once it is known, as those are that are ready.
    void pause_or_resume(const std::string& name) {
        const PauseReason reason = random_.one_of(PauseReason::kUser, PauseReason::kTemperature);
        Pauses& pauses = world_.device_pauses[name];
        const bool known = pauses.paused() || std::ranges::count(fleet_.ready(), name, &DeviceInfo::name) > 0;
        if (known) pauses.change(reason, [&](bool paused) { search_.pause_device(name, reason, paused); });
    }

    World& world_;
    Random& random_ = world_.scheduler().random();
    const Fleet& fleet_;
    Search& search_;
};

}  // namespace gpuminer::simulation
