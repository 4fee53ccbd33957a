// The argument HEADER of a command.
#pragma once

#include <vector>

#include "cli/options/options.hpp"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"

namespace gpuminer {

/// From wherever HEADER says. Warns where it or the target given looks as if its bytes were in another order than they
/// are meant to be. Throws InputError.
[[nodiscard]] HeaderInput read_header_of(const Options& options);
/// The same, of one or more; for `verify` in more forms.
[[nodiscard]] std::vector<HeaderInput> read_headers_of(const Options& options);

/// An error in what was read there, with its source before it: "file 'x': ", "standard input: line 2: ".
[[nodiscard]] InputError in_header(const Options& options, const HeaderInput& input, const InputError& error);
/// The target given, or the header's own. Throws InputError.
[[nodiscard]] Hash256 target_of(const Options& options, const HeaderInput& input);

}  // namespace gpuminer
