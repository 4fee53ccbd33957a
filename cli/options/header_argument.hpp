// The argument HEADER of a command.
#pragma once

#include <vector>

#include "cli/options/options.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

/// From wherever HEADER says. Warns where it or the target given looks as if its bytes were in another order than they
/// are meant to be. Throws InputError.
[[nodiscard]] HeaderInput read_header_of(const Options& options);
/// The same, of one or more; for `verify` in more forms.
[[nodiscard]] std::vector<HeaderInput> read_headers_of(const Options& options);

}  // namespace gpuminer
