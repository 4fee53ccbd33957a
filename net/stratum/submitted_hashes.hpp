// Hashes of the shares that were sent on one connection.
#pragma once

#include <cstddef>
#include <set>

#include "host/block/hash256.hpp"

namespace gpuminer::net {

/// The hashes of shares that were sent on one connection, so that none is sent twice. Two generations, of which the
/// older one is forgotten at each turn.
class SubmittedHashes {
public:
    [[nodiscard]] bool contains(const Hash256& hash) const {
        return current_.count(hash) != 0 || previous_.count(hash) != 0;
    }
    void insert(const Hash256& hash) {
        if (current_.size() >= kLargest) turn();
        current_.insert(hash);
    }
    /// After a clean job: what was sent before it is not going to be found again.
    void turn() {
        previous_.swap(current_);
        current_.clear();
    }

private:
    static constexpr std::size_t kLargest = 50'000;
    std::set<Hash256> current_, previous_;
};

}  // namespace gpuminer::net
