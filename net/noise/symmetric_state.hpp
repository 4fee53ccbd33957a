// The state that both sides of a Noise handshake share: hash, chaining key, cipher (SymmetricState).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "host/text/bytes.hpp"
#include "net/noise/cipher.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

class SymmetricState {
public:
    /// `protocol`: its name, of more than 32 characters.
    explicit SymmetricState(std::string_view protocol);

    void mix_hash(std::span<const std::uint8_t> data);
    void mix_key(const Secret& input);
    /// DecryptAndHash(), where a key was mixed in. Empty: it was not sealed by who has the same state.
    [[nodiscard]] std::optional<Bytes> open(std::span<const std::uint8_t> sealed);
    /// Split(): the initiator's key to send with, then the responder's.
    [[nodiscard]] std::pair<Secret, Secret> split() const;

private:
    std::array<std::uint8_t, 32> hash_{};
    Secret chaining_key_;
    std::optional<OpeningCipher> cipher_;
};

}  // namespace gpuminer::net
