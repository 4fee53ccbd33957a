// Random choices from a seed, the same with every library: std::uniform_int_distribution differs between them.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace gpuminer::simulation {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// 0 … count-1; `count` >= 1.
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    /// first … last.
    std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
    bool one_in(std::uint64_t count) { return below(count) == 0; }
    bool percent(unsigned chance) { return below(100) < chance; }
    /// first … last, small numbers as often as large ones; first >= 1.
    std::uint64_t spread(std::uint64_t first, std::uint64_t last) {
        const double exponent = static_cast<double>(next() >> 11) * 0x1p-53;
        const double ratio = static_cast<double>(last) / static_cast<double>(first);
        return first + static_cast<std::uint64_t>(static_cast<double>(first) * (std::pow(ratio, exponent) - 1));
    }
    template <class... Values>
    auto one_of(Values... values) {
        const std::common_type_t<Values...> list[] = {values...};
        return list[below(sizeof...(values))];
    }

private:
    std::uint64_t state_;
};

}  // namespace gpuminer::simulation
