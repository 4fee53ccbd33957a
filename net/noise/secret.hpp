// 32 secret bytes: a private key, a chaining key, the key of a cipher. No memory keeps them.
#pragma once

#include <array>
#include <cstdint>

namespace gpuminer::net {

struct Secret {
    std::array<std::uint8_t, 32> bytes{};

    Secret() = default;
    Secret(const Secret&) = default;
    Secret& operator=(const Secret&) = default;
    ~Secret();  ///< overwrites them
};

}  // namespace gpuminer::net
