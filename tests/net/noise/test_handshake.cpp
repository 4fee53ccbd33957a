// The client's handshake and frames against a conversation that a second implementation recorded (tests/live/noise.py).
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <openssl/sha.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/noise/authority_key.hpp"
#include "net/noise/frames.hpp"
#include "net/noise/handshake.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/noise/noise_data.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using std::chrono::system_clock;

namespace {

constexpr std::int64_t kValidFrom = 1'790'000'000, kNotValidAfter = 1'800'000'000;

system_clock::time_point at(std::int64_t seconds) { return system_clock::time_point(std::chrono::seconds(seconds)); }

std::string recorded(const char* name) { return text_from_hex(transcript().at(name).get<std::string>()); }
AuthorityKey recorded_authority(const char* name = "authority") {
    return parse_authority_key(transcript().at(name).get<std::string>());
}

NoiseHandshake recorded_handshake() {
    return NoiseHandshake(FixedDraw(transcript().at("client_draws").get<std::vector<std::string>>()));
}

NoiseTransport recorded_transport() {
    return recorded_handshake().finish(recorded("answer"), recorded_authority(), at(kValidFrom));
}

/// The NetworkError's text that `action` throws; "" when it throws none.
template <class Action>
std::string network_error(const Action& action) {
    try {
        action();
    } catch (const NetworkError& error) {
        CHECK(is_plain_sentence(error.what()));
        return error.what();
    }
    return "";
}

std::string refusal(const std::string& answer, std::int64_t now = kValidFrom,
                    const std::optional<AuthorityKey>& authority = recorded_authority()) {
    return network_error([&] { (void)recorded_handshake().finish(answer, authority, at(now)); });
}

std::string changed(std::string bytes, std::size_t index) {
    bytes.at(index) = static_cast<char>(bytes.at(index) ^ 1);
    return bytes;
}

/// As tests/live/noise.py makes them.
std::string frame_of(std::size_t size) {
    std::string frame{0, 0, 0x12};
    for (unsigned shift = 0; shift < 24; shift += 8) frame += static_cast<char>(size >> shift);
    for (std::size_t i = 0; i < size; ++i) frame += static_cast<char>(i);
    return frame;
}

std::string sha256_hex(const std::string& bytes) {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    return to_hex(digest);
}

Secret frame_key() {
    Secret key;
    key.bytes.fill(0x42);
    return key;
}

}  // namespace

TEST_CASE("noise: the recorded handshake is made again", "[noise]") {
    NoiseHandshake handshake = recorded_handshake();
    CHECK(handshake.message() == recorded("first_message"));
    const NoiseTransport transport = handshake.finish(recorded("answer"), recorded_authority(), at(kValidFrom));
    CHECK(transport.certificate.version == 0);
    CHECK(transport.certificate.valid_from == kValidFrom);
    CHECK(transport.certificate.not_valid_after == kNotValidAfter);
    CHECK(to_hex(transport.certificate.server_key) == transcript().at("server_key"));
}

TEST_CASE("noise: the recorded frames are sealed and opened", "[noise]") {
    NoiseTransport transport = recorded_transport();
    for (const auto& [plain, sealed] : transcript().at("to_server").get<std::vector<std::array<std::string, 2>>>()) {
        CHECK(transport.sealer.seal(text_from_hex(plain)) == text_from_hex(sealed));
    }
    std::string received;
    std::vector<std::string> expected, opened;
    for (const auto& [plain, sealed] : transcript().at("from_server").get<std::vector<std::array<std::string, 2>>>()) {
        expected.push_back(text_from_hex(plain));
        for (const char byte : text_from_hex(sealed)) {  // one by one
            received += byte;
            while (auto frame = transport.opener.next(received)) opened.push_back(*std::move(frame));
        }
    }
    CHECK(opened == expected);
    CHECK(received.empty());
}

TEST_CASE("noise: long frames are sealed in pieces", "[noise]") {
    FrameSealer sealer(frame_key());
    FrameOpener opener(frame_key());
    std::string received;
    std::vector<std::string> frames;
    for (const auto& row : transcript().at("long")) {
        frames.push_back(frame_of(row[0].get<std::size_t>()));
        const std::string sealed = sealer.seal(frames.back());
        CHECK(sha256_hex(sealed) == row[1].get<std::string>());
        received += sealed;
    }
    for (const std::string& frame : frames) CHECK(opener.next(received).value() == frame);
    CHECK_FALSE(opener.next(received));
}

TEST_CASE("noise: an answer that is changed anywhere is refused", "[noise]") {
    const std::string answer = recorded("answer");
    REQUIRE(answer.size() == kNoiseAnswerSize);
    CHECK(refusal(answer).empty());
    // The first and the last byte of the ephemeral key, of the static key and its tag, of the certificate and its tag.
    for (const std::size_t index : {0, 31, 32, 63, 64, 127, 128, 143, 144, 145, 153, 217, 218, 233}) {
        INFO(index);
        CHECK(refusal(changed(answer, index)) ==
              "the server's answer to the handshake does not belong to Stratum V2, or was changed on the way");
    }
    CHECK(refusal(answer.substr(0, 233)) == "the server's answer to the handshake has 233 bytes, not 234");
    CHECK(refusal(answer + '\0') == "the server's answer to the handshake has 235 bytes, not 234");
    CHECK(refusal("") == "the server's answer to the handshake has 0 bytes, not 234");
    const NoiseHandshake other;  // of another connection
    CHECK(other.message() != recorded("first_message"));
    CHECK_FALSE(network_error([&] { (void)NoiseHandshake().finish(answer, std::nullopt, at(kValidFrom)); }).empty());
}

TEST_CASE("noise: a certificate is of the authority, of a known version, and of now", "[noise]") {
    const std::string answer = recorded("answer");
    const AuthorityKey other = recorded_authority("other_authority");
    CHECK(refusal(answer, kValidFrom, other) ==
          "the server's certificate is not signed by the authority whose key was given");
    const std::string version_1 = recorded("answer_with_certificate_of_version_1");
    CHECK(refusal(version_1) == "the server's certificate has version 1, but only 0 is known");

    CHECK(refusal(answer, kValidFrom - 600).empty());
    CHECK(refusal(answer, kValidFrom - 601) ==
          "the server's certificate is not valid before 2026-09-21T14:13:20Z; this machine's clock says "
          "2026-09-21T14:03:19Z");
    CHECK(refusal(answer, kNotValidAfter).empty());
    CHECK(refusal(answer, kNotValidAfter + 1) ==
          "the server's certificate has expired on 2027-01-15T08:00:00Z; this machine's clock says "
          "2027-01-15T08:00:01Z");
    CHECK(contains(refusal(answer, 0), "this machine's clock says 1970-01-01T00:00:00Z"));

    for (const std::int64_t now : {std::int64_t{0}, kNotValidAfter + 1}) {  // nobody's, as nobody can be asked
        CHECK(refusal(answer, now, std::nullopt).empty());
        CHECK(refusal(version_1, now, std::nullopt).empty());
    }
}

TEST_CASE("noise: a certificate is signed as a whole", "[noise]") {
    const NoiseCertificate signed_one = recorded_transport().certificate;
    const auto check = [](const NoiseCertificate& certificate) {
        return network_error([&] { check_certificate(certificate, recorded_authority(), at(kValidFrom)); });
    };
    CHECK(check(signed_one).empty());
    std::vector<NoiseCertificate> spoilt(5, signed_one);
    spoilt[0].valid_from ^= 1;
    spoilt[1].not_valid_after ^= 1U << 31U;
    spoilt[2].server_key[0] ^= 1;
    spoilt[3].signature[0] ^= 1;
    spoilt[4].signature[63] ^= 1;
    for (const NoiseCertificate& certificate : spoilt) CHECK(contains(check(certificate), "is not signed by"));
}

TEST_CASE("noise: a frame that is changed, repeated or left out ends the connection", "[noise]") {
    FrameSealer sealer(frame_key());
    const std::string first = sealer.seal(frame_of(40)), second = sealer.seal(frame_of(70'000));
    const auto failure = [](std::string received) {
        return network_error([&] {
            FrameOpener opener(frame_key());
            while (opener.next(received)) continue;
        });
    };
    const std::string sentence = "a message from the server was changed on the way: its authentication code is wrong";
    CHECK(failure(first + second).empty());
    for (const std::size_t index : {0, 5, 6, 21, 22, 61, 62, 77}) CHECK(failure(changed(first, index)) == sentence);
    for (const std::size_t index : {22, 22 + 65'534, 22 + 65'535, 22 + 65'535 + 4'496}) {
        CHECK(failure(first + changed(second, index)) == sentence);
    }
    CHECK(failure(first + first) == sentence);
    CHECK(failure(second) == sentence);
}

TEST_CASE("noise: a frame that is too long is refused by its header", "[noise]") {
    const auto failure = [](std::size_t size, std::size_t longest) {
        return network_error([&] {
            std::string header = FrameSealer(frame_key()).seal(frame_of(size)).substr(0, 22);
            FrameOpener opener(frame_key());
            const bool whole = opener.next(header, longest).has_value();
            CHECK_FALSE(whole);  // where it is allowed
        });
    };
    CHECK(failure(100, 100).empty());
    CHECK(failure(101, 100) == "the server announced a message of 101 bytes where at most 100 are expected");
    CHECK(failure(1'000'000, kLongestPayload).empty());
    CHECK(failure(1'000'001, 0xffffff) ==
          "the server announced a message of 1000001 bytes where at most 1000000 are expected");
}

TEST_CASE("noise: authority keys are read from base58", "[noise]") {
    // Of the Stratum V2 specification, section 4.7.1.
    CHECK(to_hex(parse_authority_key("9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXh")) ==
          "76637000979c1c11af0c300bcd8c7fe48610fce9b9c11e3daee35ae0b08a7455");
    const auto flaw = [](const std::string& text) { return input_error([&] { (void)parse_authority_key(text); }); };
    CHECK(contains(flaw("9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXj"), "its checksum is wrong"));
    CHECK(flaw(transcript().at("authority_of_version_2").get<std::string>()) ==
          "its version is 2, but only 1 is known");
    CHECK(flaw("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2") == "it has 21 bytes, but a version and a key have 34");
    CHECK(contains(flaw("9bXiEd8boQ0"), "a character that base58 does not use, '0'"));
    CHECK(flaw("") == "it is too short to have a checksum");
    CHECK(contains(flaw(std::string(113, '1')), "at most 112 are allowed"));
    CHECK(flaw(transcript().at("authority_off_the_curve").get<std::string>()) == "it is no key of the curve secp256k1");
}
