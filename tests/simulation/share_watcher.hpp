// Events of shares in a simulated pool and its wires, for the ledger of a schedule or for a test.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tests/simulation/simulated_disk.hpp"

namespace gpuminer::simulation {

class Wire;

/// A connection, over all runs of the client.
struct ConnectionId {
    unsigned run = 0;
    std::uint64_t number = 0;

    friend auto operator<=>(const ConnectionId&, const ConnectionId&) = default;
};

/// `params`: of mining.submit.
class ShareWatcher : public DiskWatcher {
public:
    /// The client sends it.
    virtual void sent(const Wire& wire, const nlohmann::json& params) = 0;
    /// `hash`: of the header that the pool made of it.
    virtual void accepted(const nlohmann::json& params, const std::string& hash) = 0;
    /// The pool refuses it, for another reason than that it comes too late or again.
    virtual void refused(const nlohmann::json& params, const std::string& why) = 0;
    /// The pool's answers to these shares have come.
    virtual void told(const std::vector<std::uint32_t>& nonces) = 0;
    /// A pool is about to take shares no more that it would still take.
    virtual void look_for_held_back(std::size_t pool) = 0;

protected:
    ~ShareWatcher() = default;
};

}  // namespace gpuminer::simulation
