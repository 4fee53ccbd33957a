// Stratum V2's frames on an encrypted connection: a header of six bytes, sealed apart, and the payload, in pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/noise/cipher.hpp"
#include "net/noise/secret.hpp"

namespace gpuminer::net {

// A plain frame is its header (extension U16, type U8, payload's length U24, little-endian), then its payload.

inline constexpr std::size_t kFrameHeaderSize = 6;
/// Bytes of payload. No longer one is taken in any state.
inline constexpr std::size_t kLongestPayload = 1'000'000;

/// Frames to the server.
class FrameSealer {
public:
    explicit FrameSealer(const Secret& key) : cipher_(key) {}
    /// One plain frame, whose header has the length of its payload.
    [[nodiscard]] std::string seal(std::string_view frame);

private:
    SealingCipher cipher_;
};

/// Frames from the server.
class FrameOpener {
public:
    explicit FrameOpener(const Secret& key) : cipher_(key) {}

    /// Cuts the next sealed frame off the front of what was received, to which the caller only appends; gives the plain
    /// one. Empty: it is not there as a whole. Throws NetworkError where it was not sealed by the server or has more
    /// than `longest` bytes of payload (or kLongestPayload), which is seen in its header: the connection is then to be
    /// closed.
    [[nodiscard]] std::optional<std::string> next(std::string& received, std::size_t longest = kLongestPayload);

private:
    void open(std::string_view sealed, std::string& frame);  // appends

    OpeningCipher cipher_;
    std::string frame_;  // the header of the one whose payload is not there as a whole; empty: there is none
};

}  // namespace gpuminer::net
