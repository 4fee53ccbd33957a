// The document of bench --submit: a few facts about a device that its owner can pass on, none about the owner.
#pragma once

#include <string>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// Of each device that the scan measured alone: what it is, its driver, how it ran, its rates, and whether all results
/// were right. Only fields of a list that a test keeps: no serial number, no address, no host, user, path or command
/// line, nor the user's label. `document` is shareable (bench/document/shareable.hpp). As text: a line for each field
/// and each device.
[[nodiscard]] std::string submission(const Document& document);

}  // namespace gpuminer::bench
