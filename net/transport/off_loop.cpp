#include "net/transport/off_loop.hpp"

#include <list>
#include <system_error>
#include <thread>
#include <utility>

namespace gpuminer::net {

struct OffLoop::Impl {
    EventLoop& loop;
    std::list<std::jthread> threads;  // under way, or ended and with a task that is still to run on the loop
};

OffLoop::OffLoop(EventLoop& loop) : impl_(new Impl{loop, {}}) {}

OffLoop::~OffLoop() {
    for (std::jthread& thread : impl_->threads) thread.request_stop();  // all at once, before one is waited for
}

void OffLoop::run(const Computation& computation) {
    auto& threads = impl_->threads;
    const auto place = threads.emplace(threads.end());
    const auto finish = [impl = impl_.get(), place](EventLoop::Task task) {
        impl->loop.post([impl, place, task = std::move(task)] {
            impl->threads.erase(place);  // waits for no more than its return
            task();
        });
    };
    try {
        *place = std::jthread([computation, finish](const std::stop_token& stop) { finish(computation(stop)); });
    } catch (const std::system_error&) {
        finish(computation({}));
    }
}

}  // namespace gpuminer::net
