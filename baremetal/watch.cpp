#include "baremetal/watch.hpp"

#include "baremetal/processor.hpp"

namespace gpuminer::baremetal {

Pause Watch::pause() {
    return {[](void* self) { return static_cast<Watch*>(self)->look(); }, this};
}

bool Watch::look() {
    constexpr std::uint64_t kSecondsBetweenLines = 5;
    look_for_escape();
    const std::uint64_t now = read_counter();
    if (!has_progress(now)) {
        stop();  // for those who come to themselves after all
        return false;
    }
    if (now < next_line_) return true;
    next_line_ = now + kSecondsBetweenLines * run_.machine.counter_hz;
    const double share = static_cast<double>(hashes_) / static_cast<double>(run_.config.range().count);
    Line line;
    console_.entry("searched", line.decimal(100 * share, 1).add(" %; Escape ends it").text());
    return true;
}

void Watch::look_for_escape() {
    constexpr std::uint64_t kMilliseconds = 100;
    uefi::InputKey key{};
    const bool pressed =
        run_.machine.boot_processor_works ? firmware_.read_key(key) : firmware_.wait_for_key(kMilliseconds, key);
    if (pressed && key.scan_code == uefi::kScanEscape) stop();
}

void Watch::stop() { __atomic_store_n(&options_.stop, true, __ATOMIC_RELAXED); }

bool Watch::has_progress(std::uint64_t now) {
    const std::uint64_t hashes = run_.hashes();
    if (hashes != hashes_) hashes_ = hashes, last_progress_ = now;
    return now - last_progress_ < kSecondsWithoutProgress * run_.machine.counter_hz;
}

}  // namespace gpuminer::baremetal
