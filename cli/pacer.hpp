// Gives a search its jobs, watches how fast it goes, and keeps it from going faster than it may, from a thread of its
// own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/rate_meter.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/mining_search.hpp"

namespace gpuminer {

class Pacer {
public:
    /// `limit`: hashes per second. Without one the search begins with a job of which nothing comes, for at most 1.5 s,
    /// so that the rate is known when a difficulty is to be suggested to a pool.
    Pacer(MiningSearch& search, std::optional<double> limit);
    ~Pacer();
    Pacer(const Pacer&) = delete;
    Pacer& operator=(const Pacer&) = delete;

    /// As RateMeter::rate().
    [[nodiscard]] double hash_rate() const;
    /// As MiningSearch::set_job().
    void set_job(std::shared_ptr<const MiningJob> job);

private:
    using Clock = std::chrono::steady_clock;

    void run();
    void change_job(std::shared_ptr<const MiningJob> job);
    [[nodiscard]] bool allow(std::chrono::duration<double> time);

    MiningSearch& search_;
    const std::optional<double> limit_;

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable wake_;
    bool ending_ = false;
    bool warming_up_;
    bool working_;  ///< there is a job: time without any says nothing about the devices
    const Clock::time_point started_ = Clock::now();
    RateMeter meter_{limit_, started_};

    std::thread thread_;
};

}  // namespace gpuminer
