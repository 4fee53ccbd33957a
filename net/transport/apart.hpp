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

/// Calls `done` with the result on the loop's thread, some time later, unless the loop is gone by then. The result's
/// text `failure` tells what `call` throws, or that no thread can be started. Who ends without having waited calls
/// note_abandoned_thread().
template <typename Result>
void call_apart(const EventLoop& loop, const std::function<Result()>& call, const std::function<void(Result)>& done) {
    const auto give = [poster = loop.poster(), done](Result result) {
        poster([done, result = std::move(result)]() mutable { done(std::move(result)); });
    };
    const auto fail = [give](const std::string& why) {
        Result result;
        result.failure = why;
        give(std::move(result));
    };
    try {
        std::thread([give, fail, call] {
            try {
                give(call());
            } catch (const std::exception& error) {
                fail(error.what());
            }
        }).detach();
    } catch (const std::system_error& error) {
        fail("no thread can be started: " + error.code().message());
    }
}

}  // namespace gpuminer::net
