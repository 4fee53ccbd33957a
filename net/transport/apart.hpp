// Calls that may hang and cannot be stopped, of the system's resolver or of a file system, on threads of their own:
// neither an event loop nor the end of the program waits for them.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// Calls `done` with the result on the loop's thread, some time later, unless the loop is gone by then. Who ends
/// without having waited calls note_abandoned_thread().
template <typename Result>
void call_apart(const EventLoop& loop, std::function<Result()> call, std::function<void(Result)> done) {
    std::thread([poster = loop.poster(), call = std::move(call), done = std::move(done)]() mutable {
        poster([done = std::move(done), result = call()]() mutable { done(std::move(result)); });
    }).detach();
}

}  // namespace gpuminer::net
