// Options of pool and solo: from arguments to values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"
#include "net/pool/options.hpp"
#include "net/pool/probe.hpp"
#include "net/solo/options.hpp"

namespace gpuminer {

struct MiningOptions {
    net::PoolOptions pool;
    std::optional<net::PoolProbe> probe;  ///< in place of mining; then `pool` is nothing
    net::SoloOptions solo;
    std::optional<double> max_hash_rate;  ///< hashes per second
    bool sandbox = true;                  ///< where only CPU devices are used
    std::vector<std::string> warnings;    ///< for the user, a sentence each
};

/// Throws InputError.
[[nodiscard]] MiningOptions read_mining(const Arguments& arguments);

}  // namespace gpuminer
