// The solo client: mining on full nodes, with block templates by JSON-RPC (BIP 22, 23, 9, 145). Found blocks are
// submitted to every node.
#pragma once

#include <memory>

#include "net/solo/options.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// Starts at once, on a thread of its own. Throws InputError for options that make no sense (address, text, journal).
[[nodiscard]] std::unique_ptr<WorkClient> make_solo_client(const SoloOptions& options, const SoloNodes& nodes,
                                                           WorkCallbacks callbacks);

}  // namespace gpuminer::net
