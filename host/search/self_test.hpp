// Self-test of a device before its first job: its hits must be exactly the checker's.
#pragma once

#include <optional>
#include <string>

#include "host/backend.h"

namespace gpuminer {

/// Scans some 3,000 hashes with a known block in them and compares the candidates with the checker's. Returns
/// why the device is not to be used, as one clause ("self-test failed: …"); nothing: it works. To be called on
/// the device's thread. What the device throws is passed on.
[[nodiscard]] std::optional<std::string> self_test(Device& device);

}  // namespace gpuminer
