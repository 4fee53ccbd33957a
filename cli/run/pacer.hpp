// Pacer: the thread that gives a search its jobs, measures its hash rate, and limits it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "host/mutex.hpp"
#include "host/search/job_stream.hpp"
#include "host/search/mining_job.hpp"
#include "host/threads.hpp"

namespace gpuminer {

/// The hash rate of the devices, from counts of hashes over time; or the limit, where the limit holds them back.
class RateMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `limit`: hashes per second.
    RateMeter(std::optional<double> limit, Time now) : limit_(limit), window_start_(now) {}

    /// There is work from now on; the time before says nothing about the devices.
    void restart(Time now, std::uint64_t hashes);
    /// `hashes`: in all. `held_back`: the devices did all that the limit allows, and had to wait.
    void observe(Time now, std::uint64_t hashes, bool held_back);
    /// Hashes per second over the last seconds in which there was work; 0: not known yet, because the devices are still
    /// starting. With a limit: the limit, unless the devices have not reached it for a while.
    [[nodiscard]] double rate() const;

private:
    const std::optional<double> limit_;
    double rate_ = 0;    ///< of the devices alone; 0: not known
    double latest_ = 0;  ///< of the last window in which hashes were computed; 0: there was none
    int measured_ = 0;   ///< windows that rate_ is made of
    bool settled_ = false;
    Time window_start_;  ///< of the measurement under way
    std::uint64_t window_hashes_ = 0;
    bool held_back_ = false;  ///< in the window
    int free_windows_ = 0;    ///< in a row, in which the limit held no device back
};

class Pacer {
public:
    /// `limit`: hashes per second. Without one the search begins with a job of which nothing comes, for at most 1.5 s
    /// (15 where nothing is measured yet), so that the rate is known when a difficulty is to be suggested to a pool.
    /// `algorithm`: the devices'.
    Pacer(MiningSearch& search, const Algorithm& algorithm, std::optional<double> limit);

    /// As RateMeter::rate().
    [[nodiscard]] double hash_rate() const;
    /// As MiningSearch::set_job().
    void set_job(std::shared_ptr<const MiningJob> job);

private:
    using Clock = threads::Clock;

    void run(const std::stop_token& stop);
    void change_job(std::shared_ptr<const MiningJob> job) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool allow(std::chrono::duration<double> time);

    MiningSearch& search_;
    const std::optional<double> limit_;

    const Clock::time_point started_ = Clock::now();

    mutable Mutex mutex_;
    Condition wake_;
    bool warming_up_ GPUMINER_GUARDED_BY(mutex_);
    bool working_ GPUMINER_GUARDED_BY(mutex_);  ///< there is a job: time without any says nothing about the devices
    RateMeter meter_ GPUMINER_GUARDED_BY(mutex_){limit_, started_};

    threads::JoiningThread thread_;
};

}  // namespace gpuminer
