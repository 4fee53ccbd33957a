// Changes of a run that a page or another program may make.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace gpuminer::web {

/// What a request may change. Called on the server's thread; to return at once. Empty: that is not there.
struct Controls {
    std::function<void(bool paused)> pause;
    std::function<void(const std::string& device, bool paused)> pause_device;
    /// The pool with this number (from 0, in the order of the command line) is to be the one in use. False: there is no
    /// such pool.
    std::function<bool(std::size_t pool)> activate_pool;
};

}  // namespace gpuminer::web
