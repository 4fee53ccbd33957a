// A device of a stated speed that only waits until its work would be done.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "cpu/isa.hpp"
#include "host/backend.h"
#include "host/search/search_types.hpp"

namespace gpuminer::bench {

/// A device that waits as long as the work would take and finds nothing; it computes only its self-test.
class PacedDevice final : public Device {
public:
    using Clock = std::chrono::steady_clock;

    PacedDevice(unsigned number, double rate, const SearchRequest& request)
        : rate_(rate),
          searched_(Sha256dJob(request.header.bytes, std::array{request.header.version()}, request.target.top_word())
                        .tail()) {
        info_.name = fmt::format("paced#{}", number);
        info_.backend = "paced";
    }

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint64_t batch() const override { return static_cast<std::uint64_t>(rate_ * kBatchSeconds); }

    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        if (job.tail() != searched_) return compute(job, range, result);
        const auto start = Clock::now();
        if (!first_began) first_began = start;
        const std::uint64_t asked = range.count * job.versions().size();
        const std::chrono::duration<double> work(static_cast<double>(asked) / rate_);
        std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(work));
        hashes += asked;
        ++scans;
        last_ended = Clock::now();
    }

    // What it did in this search; to be read and reset while none runs.
    std::uint64_t hashes = 0;
    std::uint64_t scans = 0;
    std::optional<Clock::time_point> first_began = {};
    Clock::time_point last_ended = {};

private:
    static constexpr double kBatchSeconds = 0.05;  ///< the longest that host/backend.h asks for

    static void compute(const Sha256dJob& job, NonceRange range, ScanResult& result) {
        std::vector<Candidate> found(range.count * job.versions().size());
        const cpu::ScanOutcome outcome = cpu::scan(cpu::isas().front(), job, range, found);
        for (std::size_t i = 0; i < outcome.found; ++i) result.candidates.push(found[i]);
    }

    DeviceInfo info_;
    const double rate_;
    const std::array<std::uint32_t, 3> searched_;  ///< Sha256dJob::tail() of the search
};

}  // namespace gpuminer::bench
