#include "host/text/format.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "host/backend.h"

namespace gpuminer {

double rate_of(double hashes, double seconds) { return seconds > 0 ? hashes / seconds : 0; }

std::string rate_text(double hashes_per_second) {
    constexpr std::array kUnits{"H/s", "kH/s", "MH/s", "GH/s", "TH/s"};
    std::size_t unit = 0;
    while (hashes_per_second >= 1000 && unit + 1 < kUnits.size()) {
        hashes_per_second /= 1000;
        ++unit;
    }
    return fmt::format("{:.2f} {}", hashes_per_second, kUnits.at(unit));
}

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string duration_text(double seconds) {
    constexpr double kMinute = 60;
    constexpr double kHour = 3600;
    constexpr double kDay = 86400;
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds < kMinute) return fmt::format("{:.1f} s", seconds);
    if (seconds < kHour)
        return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / kMinute),
                           std::floor(std::fmod(seconds, kMinute)));
    if (seconds < 2 * kDay) {
        return fmt::format("{:.0f} h {:02.0f} min", std::floor(seconds / kHour),
                           std::floor(std::fmod(seconds, kHour) / kMinute));
    }
    return fmt::format("{:.0f} days", seconds / kDay);
}

std::string chance_text(double expected) {
    constexpr double kPercent = 100;
    const double percent = -kPercent * std::expm1(-expected);
    if (percent <= 0) return "no chance";
    if (percent > 99.9) return "over 99.9 % chance";
    return percent < 10 ? fmt::format("{:.2g} % chance", percent) : fmt::format("{:.0f} % chance", percent);
}

std::string compact_difficulty(double difficulty) {
    constexpr double kFirst = 1e4;  // below it all digits are told
    constexpr struct {
        double unit;
        char letter;
    } kLetters[] = {{1e15, 'P'}, {1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'K'}};
    for (const auto& [unit, letter] : kLetters) {
        if (difficulty >= std::max(unit, kFirst)) return fmt::format("{:.4g}{}", difficulty / unit, letter);
    }
    return fmt::format("{:.4g}", difficulty);
}

std::string difficulty_text(double difficulty) {
    constexpr struct {
        double unit;
        const char* prefix;
    } kPrefixes[] = {{1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}};
    for (const auto& [unit, prefix] : kPrefixes) {
        if (difficulty >= unit) return fmt::format("{:.4g}{}", difficulty / unit, prefix);
    }
    if (difficulty >= 1e4) return grouped(static_cast<std::uint64_t>(std::llround(difficulty)));
    return fmt::format("{:.4g}", difficulty);
}

std::array<std::string, 4> cycle_cells(const CycleStats& cycles) {
    if (cycles.empty()) return {"-", "-", "-", "-"};
    const auto figure = [](double value) {
        constexpr double kMany = 1e5;  // from here on fractions say nothing
        return value < kMany ? fmt::format("{:.2f}", value) : grouped(static_cast<std::uint64_t>(std::llround(value)));
    };
    return {figure(cycles.avg_per_hash()), figure(cycles.max_per_hash), figure(cycles.min_per_hash),
            grouped(cycles.cycles)};
}

}  // namespace gpuminer
