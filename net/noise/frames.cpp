#include "net/noise/frames.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "net/noise/hash.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kSealedPiece = 65535;  // Noise's longest message
constexpr std::size_t kPiece = kSealedPiece - kTagSize;
constexpr std::size_t kSealedHeader = kFrameHeaderSize + kTagSize;

std::size_t payload_size(std::string_view header) { return load_le(bytes_in(header).subspan(3, 3)); }

// No payload is no piece.
std::size_t sealed_size(std::size_t payload) { return payload + (payload + kPiece - 1) / kPiece * kTagSize; }

std::string_view cut_off(std::string_view& text, std::size_t longest) {
    const std::string_view front = text.substr(0, longest);
    text.remove_prefix(front.size());
    return front;
}

}  // namespace

std::string FrameSealer::seal(std::string_view frame) {
    std::string sealed;
    assert(frame.size() >= kFrameHeaderSize && frame.size() == kFrameHeaderSize + payload_size(frame));
    for (std::size_t piece = kFrameHeaderSize; !frame.empty(); piece = kPiece) {
        const Bytes bytes = cipher_.seal(bytes_in(cut_off(frame, piece)));
        sealed.append(bytes.begin(), bytes.end());
    }
    return sealed;
}

void FrameOpener::open(std::string_view sealed, std::string& frame) {
    const auto bytes = cipher_.open(bytes_in(sealed));
    if (!bytes)
        throw NetworkError("a message from the server was changed on the way: its authentication code is wrong");
    frame.append(bytes->begin(), bytes->end());
}

std::optional<std::string> FrameOpener::next(std::string& received, std::size_t longest) {
    if (frame_.empty()) {
        if (received.size() < kSealedHeader) return std::nullopt;
        open(std::string_view(received).substr(0, kSealedHeader), frame_);
        received.erase(0, kSealedHeader);
        if (const std::size_t limit = std::min(longest, kLongestPayload); payload_size(frame_) > limit) {
            throw NetworkError(fmt::format("the server announced a message of {} bytes where at most {} are expected",
                                           payload_size(frame_), limit));
        }
    }
    const std::size_t size = sealed_size(payload_size(frame_));
    if (received.size() < size) return std::nullopt;
    for (std::string_view sealed(received.data(), size); !sealed.empty();) {
        open(cut_off(sealed, kSealedPiece), frame_);
    }
    received.erase(0, size);
    return std::exchange(frame_, {});
}

}  // namespace gpuminer::net
