// Fuzzer of what a Stratum V2 server sends while it is encrypted, and of what is in it once it is opened: the
// handshake's answer, certificates, keys, frames. The first byte says which.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "net/noise/authority_key.hpp"
#include "net/noise/certificate.hpp"
#include "net/noise/cipher.hpp"
#include "net/noise/ellswift.hpp"
#include "net/noise/field.hpp"
#include "net/noise/frames.hpp"
#include "net/noise/handshake.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

using Input = std::span<const std::uint8_t>;

/// Takes bytes off the front; zeros where there are none.
template <std::size_t Size>
std::array<std::uint8_t, Size> take(Input& input) {
    std::array<std::uint8_t, Size> bytes{};
    const Input front = input.first(std::min(Size, input.size()));
    std::copy(front.begin(), front.end(), bytes.begin());
    input = input.subspan(front.size());
    return bytes;
}

std::string text_of(Input input) { return {input.begin(), input.end()}; }

template <typename Action>
void refused_plainly(const Action& action) {
    try {
        action();
    } catch (const NetworkError& error) {
        fuzz::demand_plain_sentence(error.what());
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

void check_answer(Input input) {
    std::uint8_t draws = 0;  // each is of one byte, again and again: of the corpus' answers this client's are right
    NoiseHandshake handshake([&](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, ++draws); });
    refused_plainly([&] {
        const NoiseTransport transport = handshake.finish(text_of(input), std::nullopt, {});
        demand(is_public_key(transport.certificate.server_key), "a server has a key");
    });
}

void check_certificates(Input input) {
    const auto authority = take<32>(input), key = take<32>(input);
    constexpr auto kClocks = std::uint64_t{1} << 33;  // beyond what certificates say, within what clocks of C++ have
    const std::chrono::seconds now(load_le(take<5>(input)) % kClocks);
    const auto message = take<kNoiseCertificateSize>(input);
    refused_plainly([&] {
        check_certificate(read_certificate(message, key), authority, std::chrono::system_clock::time_point(now));
    });
}

void check_keys(Input input) {
    refused_plainly([&] { (void)parse_authority_key(text_of(input)); });
    const auto encoded = take<64>(input);
    const XCoordinate x = decode_ellswift(encoded);
    demand(is_public_key(x), "any bytes are the encoding of a point");
    const auto u = take<32>(input);
    if (FieldElement(u).is_zero()) return;  // which encodings do not have
    for (unsigned which = 0; which < 8; ++which) {
        const auto t = invert_ellswift(x, u, which);
        if (!t) continue;
        EllSwift again{};
        std::copy(t->begin(), t->end(), std::copy(u.begin(), u.end(), again.begin()));
        demand(decode_ellswift(again) == x, "an encoding is of its point");
    }
}

/// In pieces of `step` bytes.
void check_frames(Input input, std::size_t step, std::size_t longest) {
    FrameOpener opener{Secret()};
    std::string received;
    refused_plainly([&] {
        while (!input.empty()) {
            const Input front = input.first(std::min(step, input.size()));
            received.append(front.begin(), front.end());
            input = input.subspan(front.size());
            while (const auto frame = opener.next(received, longest)) {
                const std::size_t payload = frame->size() - kFrameHeaderSize;
                demand(payload <= longest, "no frame is longer than is allowed");
                demand(payload == (static_cast<std::uint8_t>((*frame)[3]) |
                                   static_cast<std::size_t>(static_cast<std::uint8_t>((*frame)[4])) << 8U |
                                   static_cast<std::size_t>(static_cast<std::uint8_t>((*frame)[5])) << 16U),
                       "a frame has the length that its header says");
            }
        }
    });
}

/// Sealed rightly, whatever lengths there are: messages of a size in one byte, then these bytes.
void check_sealed_frames(Input input) {
    const std::size_t step = take<1>(input)[0] + std::size_t{1}, longest = load_le(take<2>(input));
    SealingCipher cipher{Secret()};
    Bytes sent;
    while (!input.empty()) {
        const std::size_t size = take<1>(input)[0];
        const Input plain = input.first(std::min(size, input.size()));
        const Bytes sealed = cipher.seal(plain);
        sent.insert(sent.end(), sealed.begin(), sealed.end());
        input = input.subspan(plain.size());
    }
    check_frames(sent, step, longest);
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Input input(data + 1, size - 1);
    switch (data[0] % 5) {
        case 0: check_answer(input); break;
        case 1: check_certificates(input); break;
        case 2: check_keys(input); break;
        case 3: check_frames(input, 7, 100); break;
        default: check_sealed_frames(input); break;
    }
    return 0;
}
