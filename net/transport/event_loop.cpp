#include "net/transport/event_loop.hpp"

#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "host/mutex.hpp"

namespace gpuminer::net {

namespace asio = boost::asio;

struct EventLoop::Impl {
    Mutex mutex;  // a leaf: no other mutex is locked while it is held
    asio::io_context* context GPUMINER_GUARDED_BY(mutex) = nullptr;  // null: the loop is gone
    std::unique_ptr<asio::io_context> owned;                         // for the EventLoop alone, as is `work`
    asio::executor_work_guard<asio::io_context::executor_type> work;

    Impl() : owned(std::make_unique<asio::io_context>(1)), work(asio::make_work_guard(*owned)) {
        context = owned.get();
    }
    void post(Task task) {
        const MutexLock lock(mutex);
        if (context != nullptr) asio::post(*context, std::move(task));
    }
};

EventLoop::EventLoop() : impl_(std::make_shared<Impl>()) {}

EventLoop::~EventLoop() {
    std::unique_ptr<asio::io_context> context;
    {
        const MutexLock lock(impl_->mutex);
        impl_->work.reset();
        impl_->context = nullptr;
        context = std::move(impl_->owned);
    }
    // Outside of the lock: what the context still holds may call a poster as it ends.
}

void EventLoop::run() { impl_->owned->run(); }
void EventLoop::stop() { impl_->owned->stop(); }
void EventLoop::post(Task task) { impl_->post(std::move(task)); }

EventLoop::Poster EventLoop::poster() const {
    return [impl = impl_](Task task) { impl->post(std::move(task)); };
}

asio::io_context& EventLoop::context() { return *impl_->owned; }

struct Timer::Impl {
    asio::steady_timer timer;
    std::uint64_t generation = 0;  // of the task to be run; an expired timer can no longer be cancelled in Asio
    explicit Impl(asio::io_context& context) : timer(context) {}
};

Timer::Timer(EventLoop& loop) : impl_(std::make_shared<Impl>(loop.context())) {}
Timer::~Timer() { cancel(); }

void Timer::start(std::chrono::milliseconds after, EventLoop::Task task) {
    const std::uint64_t generation = ++impl_->generation;
    impl_->timer.expires_after(after);
    impl_->timer.async_wait(
        [weak = std::weak_ptr(impl_), generation, task = std::move(task)](const boost::system::error_code& error) {
            const auto impl = weak.lock();
            if (!error && impl && impl->generation == generation) task();
        });
}

void Timer::cancel() {
    ++impl_->generation;
    impl_->timer.cancel();
}

}  // namespace gpuminer::net
