// The output of --version.
#pragma once

#include <string>

#include "host/devices/devices.hpp"

namespace gpuminer {

/// Version, commit, target, compiler, backends, libraries and licence, a line each; the first is "gpuminer 0.1.0".
[[nodiscard]] std::string version_text(Backends backends);
/// The same as a document: docs/schemas/version.schema.json.
[[nodiscard]] std::string version_json(Backends backends);

}  // namespace gpuminer
