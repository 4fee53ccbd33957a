// Processes that measure at the same time (MPI), as the benchmark sees them on the one that writes the document.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

class Ranks {
public:
    Ranks() = default;
    virtual ~Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    /// Of those that have devices: "rank 0", "rank 2". Not empty.
    [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
    /// What is left out and why, a sentence each.
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
    /// One round of `scan` with all devices of all ranks, which begin together: hashes per second of each, by the same
    /// numbers as names(). Throws VerificationError, Interrupted, of whichever rank.
    [[nodiscard]] virtual std::vector<double> measure(bool rolled, double seconds, const std::stop_token& stop) = 0;
    /// Measurement::details of each. To be called once the rounds are done.
    [[nodiscard]] virtual std::vector<Json> details(bool rolled) = 0;
    /// For Document::devices, each with its "rank".
    [[nodiscard]] virtual Json devices() const = 0;
};

}  // namespace gpuminer::bench
