// Shares of a Stratum V2 channel without an answer, by their sequence numbers: which of them an answer is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gpuminer::net::sv2 {

class Submits {
public:
    /// A share is sent. Returns its sequence number: from 1, each once.
    std::uint32_t add(double difficulty);
    /// An error: the difficulty that the share was found for. Empty: none waits under this number.
    [[nodiscard]] std::optional<double> take(std::uint32_t sequence);

    struct Accepted {
        std::vector<std::uint32_t> sequences;  ///< ascending, and gone from here
        std::uint32_t surplus = 0;             ///< so many more than wait
    };
    /// `count` shares up to this one are accepted. Of more that wait, the oldest and the last one: a share that a pool
    /// still looks at (the specification's "delayed validation") is told by a later answer.
    [[nodiscard]] Accepted accept(std::uint32_t last, std::uint32_t count);

    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

private:
    static constexpr std::size_t kMost = 100'000;  // of a pool that never answers

    std::map<std::uint32_t, double> waiting_;
    std::uint32_t last_ = 0;
};

}  // namespace gpuminer::net::sv2
