#include "net/noise/certificate.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/document.hpp"
#include "net/noise/hash.hpp"

namespace gpuminer::net {
namespace {

constexpr std::uint16_t kKnownCertificate = 0;  // its version; the specification names none
constexpr std::int64_t kFurthestBehind = 600;   // seconds

std::string time_of(std::int64_t seconds) {
    return utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(seconds))).data();
}

bool is_signed_by(const NoiseCertificate& certificate, const AuthorityKey& authority) {
    std::array<std::uint8_t, 10> fields{};
    store_le(std::span(fields).first<2>(), certificate.version);
    store_le32(fields, 2, certificate.valid_from);
    store_le32(fields, 6, certificate.not_valid_after);
    std::array<std::uint8_t, 32> message{};
    sha256_of({fields, certificate.server_key}, message);
    return is_signed(message, certificate.signature, authority);
}

}  // namespace

NoiseCertificate read_certificate(std::span<const std::uint8_t, kNoiseCertificateSize> message,
                                  const XCoordinate& server_key) {
    NoiseCertificate certificate;
    certificate.version = static_cast<std::uint16_t>(load_le(message.first<2>()));
    certificate.valid_from = load_le32(message, 2);
    certificate.not_valid_after = load_le32(message, 6);
    std::copy(message.begin() + 10, message.end(), certificate.signature.begin());
    certificate.server_key = server_key;
    return certificate;
}

void check_certificate(const NoiseCertificate& certificate, const AuthorityKey& authority,
                       std::chrono::system_clock::time_point now) {
    if (certificate.version != kKnownCertificate) {
        throw NetworkError(fmt::format("the server's certificate has version {}, but only {} is known",
                                       certificate.version, kKnownCertificate));
    }
    if (!is_signed_by(certificate, authority)) {
        throw NetworkError("the server's certificate is not signed by the authority whose key was given");
    }
    const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    if (seconds < certificate.valid_from - kFurthestBehind) {
        throw NetworkError(fmt::format("the server's certificate is not valid before {}; this machine's clock says {}",
                                       time_of(certificate.valid_from), time_of(seconds)));
    }
    if (seconds > certificate.not_valid_after) {
        throw NetworkError(fmt::format("the server's certificate has expired on {}; this machine's clock says {}",
                                       time_of(certificate.not_valid_after), time_of(seconds)));
    }
}

}  // namespace gpuminer::net
