// The certificate that a Stratum V2 server shows in its handshake (SIGNATURE_NOISE_MESSAGE), and whether to trust it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/noise/authority_key.hpp"
#include "net/noise/curve.hpp"

namespace gpuminer::net {

struct NoiseCertificate {
    std::uint16_t version = 0;
    std::uint32_t valid_from = 0;       ///< seconds since 1970
    std::uint32_t not_valid_after = 0;  ///< the last second
    SchnorrSignature signature{};
    XCoordinate server_key{};  ///< what is signed: the server's static key, by which it has shaken hands
};

inline constexpr std::size_t kNoiseCertificateSize = 74;  ///< bytes, of all but the server's key

/// It may be what nobody has signed.
[[nodiscard]] NoiseCertificate read_certificate(std::span<const std::uint8_t, kNoiseCertificateSize> message,
                                                const XCoordinate& server_key);

/// Throws NetworkError, a plain sentence, where it is of an unknown version, not signed by this key, or not valid now:
/// this machine's clock may be ten minutes behind the server's.
void check_certificate(const NoiseCertificate& certificate, const AuthorityKey& authority,
                       std::chrono::system_clock::time_point now);

}  // namespace gpuminer::net
