// Letting a phone in to the page of --http: a QR code and eight digits, as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace gpuminer {

/// As POST /api/v1/pairing has it.
struct PairingFacts {
    std::string address;  ///< of the page, for other devices; empty: there is none
    std::string reason;   ///< why, then
    std::string secret;   ///< for the fragment, which browsers send to nobody
    std::string digits;
};

/// What the terminal can draw.
struct Canvas {
    std::size_t columns = 80, rows = 24;
    bool unicode = true;  ///< half blocks
    bool colors = true;   ///< else dark ground and bright text are assumed
};
/// Of the terminal behind a descriptor.
[[nodiscard]] Canvas canvas_of(int descriptor);

/// Lines, each ended by '\n'. Without the QR code where the canvas is too small for it or has no half blocks. `place`:
/// the page's address on this machine.
[[nodiscard]] std::string pairing_text(const PairingFacts& facts, const std::string& place, const Canvas& canvas);

}  // namespace gpuminer
