#include "cpu/device.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "cpu/cycle_counter.hpp"
#include "cpu/form_choice.hpp"
#include "cpu/form_watch.hpp"
#include "cpu/topology.hpp"
#include "host/clock.hpp"

namespace gpuminer::cpu {
namespace {

/// Less than the 50 ms of a GPU: units cost a CPU nothing, and on a loaded machine, where a thread of low priority
/// gets a small share of the time, stopping has to wait for one.
constexpr double kBatchSeconds = 0.005;
/// Slices per batch: each is timed by itself, at a cost of some 30 cycles in several hundred thousand.
constexpr std::uint64_t kSlicesPerBatch = 8;

/// --cpu-priority 0 … 5 as nice values; below 0 needs a privilege.
constexpr std::array kNiceValues = {19, 10, 0, -5, -10, -15};

constexpr std::size_t kNormalPriority = 2;

/// Started under real-time scheduling (chrt), a worker would keep signals and time limits from being heard on its core.
/// So it takes the next lower real-time priority, or none where there is none or none is to be kept.
void step_back_in_real_time(bool keep) {
    const int policy = sched_getscheduler(0);
    sched_param parameters{};
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &parameters) != 0) return;
    const int lower = parameters.sched_priority - 1;
    keep = keep && lower >= sched_get_priority_min(policy);
    parameters.sched_priority = keep ? lower : 0;
    (void)sched_setscheduler(0, keep ? policy : SCHED_OTHER, &parameters);
}

/// For the calling thread. A refusal (a container without the privilege) costs some speed, no correctness.
void set_priority(std::size_t priority) {
    step_back_in_real_time(priority > kNormalPriority);
    if (priority > kNormalPriority) {
        (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceValues[priority]);
        return;
    }
    // Never up: whoever started the program at a lower priority still means it.
    const int current = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::max(current, kNiceValues[priority]));
}

class CpuDevice final : public Device {
public:
    CpuDevice(const Isa& form, DeviceInfo info, unsigned hardware_thread, const DeviceOptions& options,
              std::vector<const Isa*> others)
        : forms_(form, std::move(others)),
          info_(std::move(info)),
          hardware_thread_(hardware_thread),
          priority_(options.cpu_priority),
          fixed_batch_(options.intensity.has_value()) {
        if (fixed_batch_) batch_ = std::uint64_t{1} << *options.intensity;
    }

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint64_t batch() const override { return batch_; }
    [[nodiscard]] bool can_hang() const override { return false; }

    void attach_thread() override {
        (void)pin_this_thread(hardware_thread_);
        set_priority(std::min<std::size_t>(priority_, kNiceValues.size() - 1));
    }

    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        const auto start = Clock::now();
        const std::uint64_t versions = job.versions().size();
        const std::uint64_t slice = std::max<std::uint64_t>(batch_ / kSlicesPerBatch / versions, 256);
        const std::uint64_t compared = compare_forms(job, range, result);
        std::uint64_t done = compared;
        while (done < range.count && !result.candidates.overflow()) {
            const std::uint64_t count = std::min(slice, range.count - done);
            count_slice(job, {static_cast<std::uint32_t>(range.first + done), count}, result);
            done += count;
        }
        if (compared == 0) tune(done * versions, Clock::now() - start);
    }

private:
    using Clock = std::chrono::steady_clock;

    void count_slice(const Sha256dJob& job, NonceRange slice, ScanResult& result) {
        const std::uint64_t start = counts_cycles_ ? read_cycle_counter() : 0;
        scan_slice(forms_.current(), job, slice, result);
        if (counts_cycles_) result.cycles.add_slice(read_cycle_counter() - start, slice.count * job.versions().size());
    }

    void scan_slice(const Isa& form, const Sha256dJob& job, NonceRange slice, ScanResult& result) {
        if (found_.empty()) found_.resize(Candidates::kCapacity + 1);  // here: workers start in parallel
        const ScanOutcome outcome = cpu::scan(form, job, slice, found_);
        if (outcome.scanned_by != std::string_view(form.name))
            throw DeviceError("the code of another instruction set ran: this program is built wrongly");
        for (std::size_t i = 0; i < std::min(outcome.found, found_.size()); ++i) result.candidates.push(found_[i]);
    }

    /// Where a comparison is due and the range is large enough: searches the range's first nonces with two forms.
    /// Returns their number.
    std::uint64_t compare_forms(const Sha256dJob& job, NonceRange range, ScanResult& result) {
        const std::uint64_t count = std::max<std::uint64_t>(FormWatch::kHashes / job.versions().size(), 1);
        if (range.count < 2 * FormWatch::kRounds * count) return 0;
        if (!forms_.due(std::chrono::duration<double>(Clock::now().time_since_epoch()).count())) return 0;
        std::uint64_t done = 0;
        const auto change = forms_.compare([&](const Isa& form) {
            const auto start = Clock::now();
            scan_slice(form, job, {static_cast<std::uint32_t>(range.first + done), count}, result);
            done += count;
            return seconds_since(start);
        });
        if (!change) return done;
        remember_faster(*change->to, *change->from, change->ratio);
        result.news =
            fmt::format("runs {} ({}) from now on: {:.2f} times as fast as {} ({})", change->to->name,
                        change->to->description, change->ratio, change->from->name, change->from->description);
        return done;
    }

    // Follows the measured rate in steps of at most two, so that one interruption does not upset it.
    void tune(std::uint64_t hashes, std::chrono::duration<double> seconds) {
        if (fixed_batch_ || hashes < kSmallestBatch || seconds.count() <= 0) return;
        const double wanted = static_cast<double>(hashes) / seconds.count() * kBatchSeconds;
        const auto current = static_cast<double>(batch_);
        batch_ = std::max(kSmallestBatch, static_cast<std::uint64_t>(std::clamp(wanted, current / 2, current * 2)));
    }

    static constexpr std::uint64_t kSmallestBatch = 1 << 12;

    FormWatch forms_;
    const DeviceInfo info_;
    const unsigned hardware_thread_;
    const unsigned priority_;
    const bool fixed_batch_;
    const bool counts_cycles_ = have_cycle_counter();
    std::uint64_t batch_ = 1 << 16;
    /// One more than fits into a result: a slice with more candidates makes the result overflow.
    std::vector<Candidate> found_;
};

}  // namespace

std::unique_ptr<Device> make_device(const Isa& form, DeviceInfo info, unsigned hardware_thread,
                                    const DeviceOptions& options, std::vector<const Isa*> others) {
    return std::make_unique<CpuDevice>(form, std::move(info), hardware_thread, options, std::move(others));
}

}  // namespace gpuminer::cpu
