#include "cpu/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cpu/form_choice.hpp"
#include "cpu/form_watch.hpp"
#include "cpu/thread_device.hpp"
#include "host/threads.hpp"

namespace gpuminer::cpu {
namespace {

/// Each slice is timed by itself, at a cost of some 30 cycles.
constexpr std::uint64_t kSmallestSlice = 256;

class CpuDevice final : public ThreadDevice {
public:
    CpuDevice(const Isa& form, DeviceInfo info, unsigned hardware_thread, const DeviceOptions& options,
              std::vector<const Isa*> others)
        : ThreadDevice(std::move(info), hardware_thread, options, kSmallestSlice), forms_(form, std::move(others)) {}

protected:
    void scan_slice(const ScanJob& job, NonceRange slice, ScanResult& result) override {
        scan_with(forms_.current(), job.as<Sha256dJob>(), slice, result);
    }

    /// Where a comparison is due and the range is large enough: searches the range's first nonces with two forms.
    std::uint64_t scan_before(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        const std::uint64_t count = std::max<std::uint64_t>(FormWatch::kHashes / job.versions().size(), 1);
        if (range.count < 2 * FormWatch::kRounds * count) return 0;
        if (!forms_.due(std::chrono::duration<double>(Clock::now().time_since_epoch()).count())) return 0;
        std::uint64_t done = 0;
        const auto change = forms_.compare([&](const Isa& form) {
            const auto start = Clock::now();
            scan_with(form, job, {static_cast<std::uint32_t>(range.first + done), count}, result);
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

private:
    void scan_with(const Isa& form, const Sha256dJob& job, NonceRange slice, ScanResult& result) {
        if (found_.empty()) found_.resize(Candidates::kCapacity + 1);  // here: workers start in parallel
        const ScanOutcome outcome = cpu::scan(form, job, slice, found_);
        if (outcome.scanned_by != std::string_view(form.name))
            throw DeviceError("the code of another instruction set ran: this program is built wrongly");
        for (std::size_t i = 0; i < std::min(outcome.found, found_.size()); ++i) result.candidates.push(found_[i]);
    }

    FormWatch forms_;
    /// One more than fits into a result: a slice with more candidates makes the result overflow.
    std::vector<Candidate> found_;
};

}  // namespace

std::unique_ptr<Device> make_device(const Isa& form, DeviceInfo info, unsigned hardware_thread,
                                    const DeviceOptions& options, std::vector<const Isa*> others) {
    return std::make_unique<CpuDevice>(form, std::move(info), hardware_thread, options, std::move(others));
}

}  // namespace gpuminer::cpu
