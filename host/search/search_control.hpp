// The interface through which a search is watched and stopped.
#pragma once

#include <string>
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
    /// A paused device gets no next batch (in later searches of its fleet neither). Others go on; where all that are
    /// left are paused, the search waits. Nothing happens for a name that no device has.
    virtual void pause_device(const std::string& /*device_name*/, PauseReason /*reason*/, bool /*paused*/) {}
    [[nodiscard]] virtual SearchProgress progress() const = 0;
    /// Devices that take part, in the order in which they are listed. Empty: the search has not begun, or has ended, or
    /// its devices are not this process's alone.
    [[nodiscard]] virtual std::vector<DeviceStatus> devices() const { return {}; }
    /// Messages for the user ("cpu:avx512#1 is quarantined: …") since the last call.
    [[nodiscard]] virtual std::vector<Notice> take_notices() = 0;
};

}  // namespace gpuminer
