// Pacer: the thread that gives a search its jobs, measures its hash rate, and limits it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "cli/run/rate_meter.hpp"
#include "host/mutex.hpp"
#include "host/search/job_stream.hpp"
#include "host/search/mining_job.hpp"
#include "host/threads.hpp"

namespace gpuminer {

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
