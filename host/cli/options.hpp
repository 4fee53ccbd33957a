// What the user asked for, as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/cli/arguments.hpp"
#include "host/devices.hpp"
#include "host/hash256.hpp"
#include "host/logging.hpp"
#include "host/search.hpp"
#include "host/sensors/temperature_guard.hpp"

namespace gpuminer {

struct Options {
    std::optional<Command> command;    ///< empty: mine the embedded job
    std::string header;                ///< HEADER as given
    bool steps = false;                ///< explain: each round
    std::optional<Hash256> target;     ///< empty: the header's nBits
    SearchRequest request;             ///< all of it but header and target
    std::optional<double> time_limit;  ///< seconds
    DeviceSelection devices;
    std::optional<TemperatureLimits> temperature_limits;  ///< empty: no GPU is paused for its temperature
    LogOptions log;
    bool json = false;
};

/// Throws InputError: one plain sentence.
[[nodiscard]] Options read_options(const Arguments& arguments);

/// Whether `name` ("--json", "--no-color") is among the words, for errors in the words themselves.
[[nodiscard]] bool has_word(int argc, const char* const* argv, std::string_view name);

}  // namespace gpuminer
