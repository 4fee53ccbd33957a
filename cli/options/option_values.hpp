// Option values parsed from text. Every function throws InputError: the option's name, the expected and the actual
// value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace gpuminer {

/// Decimal ("4096") or hexadecimal ("0x1000"), from `least` to `most`. No sign; leading zeros change
/// nothing.
[[nodiscard]] std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t least,
                                         std::uint64_t most);
/// The same, without a word about hexadecimal where it is wrong: for what nobody writes so.
[[nodiscard]] unsigned parse_small(std::string_view option, std::string_view text, unsigned least, unsigned most);

/// A positive duration in seconds, at most 1e9: "90", "0.5", or with a unit: "250ms", "90s", "5m", "2h", "1d".
[[nodiscard]] double parse_duration(std::string_view option, std::string_view text);

/// A positive number, which may end in k, M, G or T (thousands to millions of millions): "31.5M", "400".
[[nodiscard]] double parse_quantity(std::string_view option, std::string_view text);

/// A number above 0 and up to 1000, of percent: "95", "97.5".
[[nodiscard]] double parse_percent(std::string_view option, std::string_view text);

/// Version bits to roll as hex digits, "0x" optional, within BIP 323's 0x1fffffe0.
[[nodiscard]] std::uint32_t parse_version_mask(std::string_view option, std::string_view text);

/// Parts between commas; none may be empty.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// Hardware threads by their numbers in the operating system: "0,2-5".
[[nodiscard]] std::vector<unsigned> parse_cpu_list(std::string_view option, std::string_view text);

/// `read` of a value, with the option's name before what it has to complain about.
template <class Read>
auto of_option(const char* name, const std::string& text, Read read) {
    try {
        return read(text);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name, error.what()));
    }
}

}  // namespace gpuminer
