#include "net/noise/handshake.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/noise/hash.hpp"

namespace gpuminer::net {
namespace {

constexpr std::string_view kNoiseProtocol = "Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256";

EllSwift ellswift_in(std::span<const std::uint8_t> bytes) {
    EllSwift key{};
    assert(bytes.size() == key.size());
    std::copy(bytes.begin(), bytes.end(), key.begin());
    return key;
}

}  // namespace

NoiseHandshake::NoiseHandshake(const RandomDraw& draw)
    : key_(generate_secret_key(draw)), public_(encode_ellswift(public_key(key_), draw)), state_(kNoiseProtocol) {
    state_.mix_hash(public_);
    state_.mix_hash({});  // the message's payload
}

std::string NoiseHandshake::message() const { return {public_.begin(), public_.end()}; }

Bytes NoiseHandshake::open(std::span<const std::uint8_t> sealed) {
    auto plain = state_.open(sealed);
    if (!plain) {
        throw NetworkError(
            "the server's answer to the handshake does not belong to Stratum V2, or was changed on the way");
    }
    return *std::move(plain);
}

NoiseTransport NoiseHandshake::finish(std::string_view answer, const std::optional<AuthorityKey>& authority,
                                      std::chrono::system_clock::time_point now) {
    if (answer.size() != kNoiseAnswerSize) {
        throw NetworkError(
            fmt::format("the server's answer to the handshake has {} bytes, not {}", answer.size(), kNoiseAnswerSize));
    }
    const auto bytes = bytes_in(answer);
    const EllSwift ephemeral = ellswift_in(bytes.first(64));
    state_.mix_hash(ephemeral);
    state_.mix_key(shared_secret(key_, public_, ephemeral));
    const EllSwift server = ellswift_in(open(bytes.subspan(64, 80)));
    state_.mix_key(shared_secret(key_, public_, server));
    key_ = {};
    const Bytes message = open(bytes.subspan(144));
    const NoiseCertificate certificate =
        read_certificate(std::span(message).first<kNoiseCertificateSize>(), decode_ellswift(server));
    if (authority) check_certificate(certificate, *authority, now);
    const auto [to_server, from_server] = state_.split();
    return {FrameSealer(to_server), FrameOpener(from_server), certificate};
}

}  // namespace gpuminer::net
