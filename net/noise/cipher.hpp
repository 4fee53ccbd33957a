// ChaCha20-Poly1305 (RFC 8439) as Noise uses it: a key, and messages that are counted (CipherState).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <openssl/types.h>

#include "host/text/bytes.hpp"
#include "net/noise/openssl.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

inline constexpr std::size_t kTagSize = 16;  ///< bytes by which a sealed message is longer

/// One direction's key, and the number of its next message. OpenSSL keeps the key, and cleanses it.
class NoiseCipher {
protected:
    NoiseCipher(const Secret& key, std::uint64_t first, bool seals);

    /// Begins the next message. `associated`: what belongs to it without being sent.
    void begin(std::span<const std::uint8_t> associated);
    [[nodiscard]] Bytes converted(std::span<const std::uint8_t> text);

    Owned<EVP_CIPHER_CTX> context_;
    std::uint64_t number_;  // of the next message
};

class SealingCipher : NoiseCipher {
public:
    explicit SealingCipher(const Secret& key, std::uint64_t first = 0) : NoiseCipher(key, first, true) {}
    [[nodiscard]] Bytes seal(std::span<const std::uint8_t> plain, std::span<const std::uint8_t> associated = {});
};

class OpeningCipher : NoiseCipher {
public:
    explicit OpeningCipher(const Secret& key, std::uint64_t first = 0) : NoiseCipher(key, first, false) {}
    /// Empty: it is not what was sealed with this key as the message of this number.
    [[nodiscard]] std::optional<Bytes> open(std::span<const std::uint8_t> sealed,
                                            std::span<const std::uint8_t> associated = {});
};

}  // namespace gpuminer::net
