// The interface through which a search is watched and stopped.
#pragma once

#include <vector>

#include "host/notices.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

/// All members may be called from any thread.
class SearchControl {
public:
    virtual ~SearchControl() = default;
    SearchControl() = default;
    SearchControl(const SearchControl&) = delete;
    SearchControl& operator=(const SearchControl&) = delete;

    virtual void stop(Ending why) = 0;  ///< no next batch; the first reason given stays
    virtual void set_paused(bool paused, PauseReason reason) = 0;
    [[nodiscard]] virtual SearchProgress progress() const = 0;
    /// Messages for the user ("cpu:avx512#1 is quarantined: …") since the last call.
    [[nodiscard]] virtual std::vector<Notice> take_notices() = 0;
};

}  // namespace gpuminer
