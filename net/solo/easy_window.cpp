#include "net/solo/easy_window.hpp"

#include <ctime>

#include <fmt/format.h>

namespace gpuminer::net {

std::optional<std::uint32_t> easiest_bits(Chain chain) {
    switch (chain) {
        case Chain::kTest:
        case Chain::kTestnet4: return 0x1d00ffff;
        case Chain::kSimnet: return 0x207fffff;
        default: return std::nullopt;
    }
}

std::string time_of_day(std::int64_t unix_time) {
    const std::time_t time = unix_time;
    std::tm parts{};
    localtime_r(&time, &parts);
    return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace gpuminer::net
