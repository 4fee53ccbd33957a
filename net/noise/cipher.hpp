// ChaCha20-Poly1305 (RFC 8439) as Noise uses it: a key, and messages that are counted (CipherState).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <openssl/types.h>

#include "host/text/bytes.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

inline constexpr std::size_t kTagSize = 16;  ///< bytes by which a sealed message is longer

/// One direction's key and number of messages. OpenSSL keeps the key and cleanses it.
class NoiseCipher {
protected:
    NoiseCipher(const Secret& key, bool seals);
    void begin(std::span<const std::uint8_t> associated);
    void convert(std::span<const std::uint8_t> input, std::uint8_t* output);

    struct Free {
        void operator()(EVP_CIPHER_CTX* context) const;
    };
    std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
    std::uint64_t count_ = 0;
};

class SealingCipher : NoiseCipher {
public:
    explicit SealingCipher(const Secret& key) : NoiseCipher(key, true) {}
    [[nodiscard]] Bytes seal(std::span<const std::uint8_t> plain, std::span<const std::uint8_t> associated = {});
};

class OpeningCipher : NoiseCipher {
public:
    explicit OpeningCipher(const Secret& key) : NoiseCipher(key, false) {}
    /// Throws NetworkError where it is not what was sealed with the key as the message of this number.
    [[nodiscard]] Bytes open(std::span<const std::uint8_t> sealed, std::span<const std::uint8_t> associated = {});
};

}  // namespace gpuminer::net
