// Documents and texts without what would identify a person or a machine.
#pragma once

#include <string>
#include <string_view>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// The text without what messages of drivers and systems may hold: paths (of which most begin with a user's name),
/// UUIDs of GPUs (their serial numbers) and PCI addresses. In their places stand "[path]", "[UUID]" and "[PCI
/// address]".
[[nodiscard]] std::string without_identities(std::string_view text);

/// Makes a document one that can be published: without_identities() of every text but the label, which is the user's
/// own, and the names of measurements; hosts of an MPI job are numbered ("host 1"), and what else names a machine or
/// its user is left out. Whoever makes or reads a document calls it, so that no report has to.
void make_shareable(Document& document);

}  // namespace gpuminer::bench
