#include "cli/options/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

InputError unexpected(std::string_view option, std::string_view expected, std::string_view text) {
    return InputError(
        fmt::format("{}: expected {}, got {}", option, expected, text.empty() ? "nothing" : quoted_text(text)));
}

/// The whole text as a number; 0x… as hexadecimal. False for anything else, overflow included.
bool read_number(std::string_view text, std::uint64_t& value) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size();
}

/// The whole text as a positive decimal number; 0 for anything else.
double read_positive(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    if (!read_number(text, value) || value < least || value > most) {
        const std::string upper =
            most == std::numeric_limits<std::uint64_t>::max() ? "up" : "to " + std::to_string(most);
        throw unexpected(option, fmt::format("a number from {} {}, decimal or hexadecimal after 0x", least, upper),
                         text);
    }
    return value;
}

unsigned parse_small(std::string_view option, std::string_view text, unsigned least, unsigned most) {
    std::uint64_t value = 0;
    if (!read_number(text, value) || value < least || value > most)
        throw unexpected(option, fmt::format("a number from {} to {}", least, most), text);
    return static_cast<unsigned>(value);
}

double parse_duration(std::string_view option, std::string_view text) {
    constexpr double kLongest = 1e9;
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    std::string_view digits = text;
    double unit = 1;
    for (const auto& [name, seconds] : kUnits) {
        if (!text.ends_with(name)) continue;
        unit = seconds;
        digits.remove_suffix(name.size());
        break;
    }
    const double value = read_positive(digits) * unit;
    if (value <= 0 || value > kLongest) throw unexpected(option, "a duration such as 90, 250ms, 90s, 5m or 2h", text);
    return value;
}

double parse_quantity(std::string_view option, std::string_view text) {
    constexpr std::pair<char, double> kPrefixes[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    std::string_view digits = text;
    double factor = 1;
    for (const auto& [prefix, meaning] : kPrefixes) {
        if (!text.ends_with(prefix)) continue;
        factor = meaning;
        digits.remove_suffix(1);
    }
    const double value = read_positive(digits) * factor;
    if (value <= 0 || !std::isfinite(value)) throw unexpected(option, "a positive number such as 400 or 31.5M", text);
    return value;
}

double parse_percent(std::string_view option, std::string_view text) {
    constexpr double kMost = 1000;
    const double value = read_positive(text);
    if (value <= 0 || value > kMost) throw unexpected(option, "a percentage above 0 and up to 1000, such as 95", text);
    return value;
}

std::uint32_t parse_version_mask(std::string_view option, std::string_view text) {
    std::string_view digits = text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    const std::optional<std::uint32_t> mask = parse_hex32(digits);
    if (!mask) throw unexpected(option, "hex digits of a mask within 1fffffe0 (BIP 323)", text);
    if ((*mask & ~kBip323Mask) != 0)
        throw InputError(
            fmt::format("{}: expected bits within 1fffffe0 (BIP 323), got {}, which also has {}; did you mean {}?",
                        option, hex8(*mask), hex8(*mask & ~kBip323Mask), hex8(*mask & kBip323Mask)));
    return *mask;
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view part = text.substr(from, comma - from);
        if (part.empty()) throw unexpected(option, "names separated by commas", text);
        parts.emplace_back(part);
        from = comma + 1;
    }
    return parts;
}

namespace {

/// Other programs take a mask: the list of its bits, such as 0-1,4 of 0x13. Empty: it is no mask, or has no bit.
std::string list_of_mask(std::string_view text) {
    std::uint64_t mask = 0;
    if (!(text.starts_with("0x") || text.starts_with("0X")) || !read_number(text, mask)) return {};
    std::string list;
    for (unsigned first = 0; first < 64; ++first) {
        if ((mask >> first & 1) == 0) continue;
        unsigned last = first;
        while (last < 63 && (mask >> (last + 1) & 1) != 0) ++last;
        list += (list.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
        first = last;
    }
    return list;
}

}  // namespace

std::vector<unsigned> parse_cpu_list(std::string_view option, std::string_view text) {
    constexpr std::uint64_t kMost = 4095;  // no machine has more, and a slip should not take the memory
    if (const std::string list = list_of_mask(text); !list.empty()) {
        throw InputError(fmt::format("{}: expected hardware threads such as 0,2-5, got the mask {}; did you mean {}?",
                                     option, quoted_text(text), list));
    }
    std::vector<unsigned> cpus;
    for (const std::string& part : parse_list(option, text)) {
        const std::size_t dash = part.find('-');
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        const bool read = part.find_first_not_of("0123456789-") == std::string::npos &&
                          read_number(std::string_view(part).substr(0, dash), first) &&
                          (dash == std::string::npos || read_number(std::string_view(part).substr(dash + 1), last));
        if (dash == std::string::npos) last = first;
        if (!read || last < first || last > kMost || cpus.size() > kMost)
            throw unexpected(option, "hardware threads such as 0,2-5", text);
        for (std::uint64_t cpu = first; cpu <= last; ++cpu) cpus.push_back(static_cast<unsigned>(cpu));
    }
    return cpus;
}

}  // namespace gpuminer
