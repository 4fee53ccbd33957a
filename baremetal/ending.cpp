#include "baremetal/ending.hpp"

namespace gpuminer::baremetal {

using namespace uefi;

void end(const Firmware& firmware, const Console& console, const Config& config) {
    static constexpr Text kEndings[] = {"shuts down", "restarts", "returns to the firmware"};
    Line line;
    line.add("Done: ").add(kEndings[static_cast<std::size_t>(config.at_end)]).add(" in ").number(config.wait);
    if (config.wait > 0) {
        firmware.forget_keys();
        console.line(line.add(" s, or when a key is pressed."));
        InputKey key{};
        (void)firmware.wait_for_key(std::uint64_t{config.wait} * 1000, key);
    }
    firmware.end(config.at_end);
}

}  // namespace gpuminer::baremetal
