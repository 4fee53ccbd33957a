// The client's handshake with a Stratum V2 server: Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256, without a socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/text/bytes.hpp"
#include "net/noise/authority_key.hpp"
#include "net/noise/certificate.hpp"
#include "net/noise/curve.hpp"
#include "net/noise/ellswift.hpp"
#include "net/noise/frames.hpp"
#include "net/noise/symmetric_state.hpp"

namespace gpuminer::net {

/// Bytes of the server's answer: its ephemeral key, its static key (sealed), its certificate (sealed).
inline constexpr std::size_t kNoiseAnswerSize = 64 + 80 + 90;

/// What a handshake makes.
struct NoiseTransport {
    FrameSealer sealer;
    FrameOpener opener;
    NoiseCertificate certificate;
};

/// For one connection. Stratum V2 specification, section 4.5.
class NoiseHandshake {
public:
    /// `draw`: tests have their own; it gives the ephemeral key (32 bytes), then the key's encoding (32 bytes and one,
    /// until they fit).
    explicit NoiseHandshake(const RandomDraw& draw = draw_random);

    /// To be sent first: 64 bytes.
    [[nodiscard]] std::string message() const;

    /// The server's answer is kNoiseAnswerSize bytes; what comes behind them is a frame's. Where there is an authority
    /// the server's certificate has to be signed by it and to be valid `now`; without one anybody may be the server,
    /// and nothing of the certificate is checked. Throws NetworkError: the connection is then to be closed. To be
    /// called once.
    [[nodiscard]] NoiseTransport finish(std::string_view answer, const std::optional<AuthorityKey>& authority,
                                        std::chrono::system_clock::time_point now);

private:
    [[nodiscard]] Bytes open(std::span<const std::uint8_t> sealed);

    Secret key_;       // ephemeral
    EllSwift public_;  // its public key as it is sent
    SymmetricState state_;
};

}  // namespace gpuminer::net
