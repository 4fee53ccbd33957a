// Mutex, MutexLock and Condition: the standard library's, with the attributes by which clang checks at compile time
// that guarded data are touched only with their mutex held (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html).
#pragma once

#include <stop_token>
#include <utility>

#include "host/threads.hpp"

#if defined(__clang__)
#define GPUMINER_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define GPUMINER_THREAD_ATTRIBUTE(attribute)  // other compilers do not know them
#endif

/// After a variable: it is read and written only with the mutex held.
#define GPUMINER_GUARDED_BY(mutex) GPUMINER_THREAD_ATTRIBUTE(guarded_by(mutex))
/// After a function: its caller holds the mutex.
#define GPUMINER_REQUIRES(mutex) GPUMINER_THREAD_ATTRIBUTE(requires_capability(mutex))
/// After a function: its caller does not hold the mutex, as the function, or what it calls, locks it.
#define GPUMINER_EXCLUDES(mutex) GPUMINER_THREAD_ATTRIBUTE(locks_excluded(mutex))

namespace gpuminer {

/// A mutex that clang can follow. Lock it with MutexLock.
class GPUMINER_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
public:
    Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() GPUMINER_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
    void unlock() GPUMINER_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

private:
    threads::Mutex mutex_;
};

/// Holds a mutex for its lifetime. In between it may be released and taken again, as std::unique_lock.
class GPUMINER_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
public:
    explicit MutexLock(Mutex& mutex) GPUMINER_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
        mutex_.lock();
    }
    ~MutexLock() GPUMINER_THREAD_ATTRIBUTE(release_capability()) {
        if (locked_) mutex_.unlock();
    }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

    void lock() GPUMINER_THREAD_ATTRIBUTE(acquire_capability()) {
        mutex_.lock();
        locked_ = true;
    }
    void unlock() GPUMINER_THREAD_ATTRIBUTE(release_capability()) {
        locked_ = false;
        mutex_.unlock();
    }

private:
    Mutex& mutex_;
    bool locked_ = true;
};

/// A condition variable. The mutex is held when a wait begins and when it ends. A predicate is called with the mutex
/// held; where it reads guarded data it says so itself: `[this]() GPUMINER_REQUIRES(mutex_) { return ready_; }`.
///
/// The waits that take a std::stop_token end early when a stop is requested (std::jthread's destructor does so). They
/// return what the predicate returns then.
class Condition {
public:
    void notify_one() { condition_.notify_one(); }
    void notify_all() { condition_.notify_all(); }

    template <class Predicate>
    void wait(Mutex& mutex, Predicate predicate) GPUMINER_REQUIRES(mutex) {
        condition_.wait(mutex, std::move(predicate));
    }
    template <class Predicate>
    bool wait(Mutex& mutex, const std::stop_token& stop, Predicate predicate) GPUMINER_REQUIRES(mutex) {
        return condition_.wait(mutex, stop, std::move(predicate));
    }

    /// Returns when notified, when it is `time`, or for no reason: for a loop that looks at all there is.
    template <class Time>
    void wait_until(Mutex& mutex, Time time) GPUMINER_REQUIRES(mutex) {
        condition_.wait_until(mutex, time);
    }

    /// False: the predicate was still false when the time was over.
    template <class Duration, class Predicate>
    bool wait_for(Mutex& mutex, Duration time, Predicate predicate) GPUMINER_REQUIRES(mutex) {
        return condition_.wait_for(mutex, time, std::move(predicate));
    }
    template <class Duration, class Predicate>
    bool wait_for(Mutex& mutex, const std::stop_token& stop, Duration time, Predicate predicate)
        GPUMINER_REQUIRES(mutex) {
        return condition_.wait_for(mutex, stop, time, std::move(predicate));
    }
    template <class Time, class Predicate>
    bool wait_until(Mutex& mutex, Time time, Predicate predicate) GPUMINER_REQUIRES(mutex) {
        return condition_.wait_until(mutex, time, std::move(predicate));
    }
    template <class Time, class Predicate>
    bool wait_until(Mutex& mutex, const std::stop_token& stop, Time time, Predicate predicate)
        GPUMINER_REQUIRES(mutex) {
        return condition_.wait_until(mutex, stop, time, std::move(predicate));
    }

private:
    threads::Condition condition_;
};

}  // namespace gpuminer
