// Tests of Stratum V2's messages against frames of another encoder (make_vectors.py), and of what is no message.
#include <map>
#include <stdexcept>
#include <string>

#include "host/text/text.hpp"
#include "net/sv2/messages.hpp"
#include "tests/catch.hpp"

namespace gpuminer::net::sv2 {
namespace {

const std::map<std::string, std::string> kVectors = {
#define VECTOR(name, frame) {#name, frame},
#include "tests/net/sv2/message_vectors.inc"
#undef VECTOR
};

Bytes bytes_of(const std::string& hex) {
    Bytes bytes(hex.size() / 2);
    decode_hex(hex, bytes);
    return bytes;
}

/// As the other encoder makes them: counting up from this byte.
Digest u256(std::uint8_t first) {
    Digest number{};
    for (std::uint8_t& byte : number) byte = first++;
    return number;
}

std::string hex_of(const std::string& frame) { return to_hex(Bytes(frame.begin(), frame.end())); }

Bytes payload_of(const std::string& name) {
    const Bytes frame = bytes_of(kVectors.at(name));
    return {frame.begin() + kHeaderBytes, frame.end()};
}

/// Written it is the other encoder's frame; read and written again, too. Cut anywhere it is refused, and what an
/// extension adds is passed over.
template <typename Message>
void check(const std::string& name, const Message& message) {
    INFO(name);
    CHECK(hex_of(encode(message)) == kVectors.at(name));
    Bytes payload = payload_of(name);
    CHECK(hex_of(encode(decode<Message>(payload))) == kVectors.at(name));
    for (std::size_t size = 0; size < payload.size(); ++size) {
        CHECK_THROWS_WITH(decode<Message>(std::span(payload).first(size)),
                          std::string(kRow<Message>.name) + ": it is truncated");
    }
    payload.insert(payload.end(), {2, 0, 1, 1, 0, 'x'});
    CHECK(hex_of(encode(decode<Message>(payload))) == kVectors.at(name));
}

}  // namespace

TEST_CASE("Messages about the connection") {
    SetupConnection setup;
    setup.flags = 5;
    setup.host = "pool.example";
    setup.port = 34254;
    setup.vendor = "gpuminer";
    setup.hardware_version = "CPUs and GPUs";
    setup.firmware = "gpuminer/0.1.0";
    check("SetupConnection", setup);
    check("SetupConnectionSuccess", SetupConnectionSuccess{2, 3});
    check("SetupConnectionError", SetupConnectionError{0x80000001, "unsupported-feature-flags"});
    check("Reconnect", Reconnect{"eu.pool.example", 3333});
}

TEST_CASE("Messages about channels") {
    check("OpenStandardMiningChannel", OpenStandardMiningChannel{7, "user.worker", 1.5e12F, u256(1)});
    check("OpenStandardMiningChannelSuccess",
          OpenStandardMiningChannelSuccess{7, 0x01020304, u256(2), {{0xca, 0xfe, 0x01}}, 9});
    check("OpenMiningChannelError", OpenMiningChannelError{7, "unknown-user"});
    check("OpenExtendedMiningChannel", OpenExtendedMiningChannel{{8, "user", 0.5F, u256(3)}, 8});
    const Digest counted = u256(0);
    check("OpenExtendedMiningChannelSuccess",
          OpenExtendedMiningChannelSuccess{8, 5, u256(4), 16, {{counted.begin(), counted.end()}}, 6});
    check("UpdateChannel", UpdateChannel{5, 2.5e9F, u256(7)});
    check("UpdateChannelError", UpdateChannelError{5, "invalid-nominal-hashrate"});
    check("CloseChannel", CloseChannel{5, "maintenance"});
    check("SetExtranoncePrefix", SetExtranoncePrefix{5, {}});
    check("SetTarget", SetTarget{5, u256(11)});
    check("SetGroupChannel", SetGroupChannel{6, {5, 1, 2}});
}

TEST_CASE("Messages about jobs") {
    check("NewMiningJob", NewMiningJob{5, 11, 1700000000, 0x20000000, u256(5)});
    check("NewMiningJobFuture", NewMiningJob{5, 12, {}, 0x20000004, u256(6)});
    NewExtendedMiningJob extended{5, 13, {}, 0x20000000, true, {u256(8), u256(9)}, {}, {{0xff}}};
    for (int i = 0; i < 150; ++i) extended.coinbase_prefix.bytes.insert(extended.coinbase_prefix.bytes.end(), {1, 0});
    check("NewExtendedMiningJob", extended);
    check("SetNewPrevHash", SetNewPrevHash{5, 13, u256(10), 1700000003, 0x207fffff});
}

TEST_CASE("Messages about shares") {
    check("SubmitSharesStandard", SubmitSharesStandard{5, 1, 11, 0x0068e19b, 1700000001, 0x3fffe004});
    check("SubmitSharesExtended", SubmitSharesExtended{{5, 2, 11, 1, 1700000002, 0x20000000}, {{1, 2}}});
    check("SubmitSharesSuccess", SubmitSharesSuccess{5, 20, 10, 0x0102030405060708});
    check("SubmitSharesError", SubmitSharesError{5, 21, "stale-share"});
}

TEST_CASE("Fields keep what they were given") {
    const auto job = decode<NewExtendedMiningJob>(payload_of("NewExtendedMiningJob"));
    CHECK(job.channel == 5);
    CHECK(job.job == 13);
    CHECK_FALSE(job.min_time);
    CHECK(job.version_rolling_allowed);
    CHECK(job.merkle_path == std::vector{u256(8), u256(9)});
    CHECK(job.coinbase_prefix.bytes.size() == 300);
    CHECK(job.coinbase_suffix.bytes == Bytes{0xff});
    CHECK(decode<NewMiningJob>(payload_of("NewMiningJob")).min_time == 1700000000);
    const auto open = decode<OpenExtendedMiningChannel>(payload_of("OpenExtendedMiningChannel"));
    CHECK(open.user == "user");
    CHECK(open.hash_rate == 0.5F);
}

TEST_CASE("A truth value is its lowest bit") {
    Bytes payload = payload_of("NewExtendedMiningJob");
    constexpr std::size_t kAt = 4 + 4 + 1 + 4;  // behind an empty option
    REQUIRE(payload[kAt] == 1);
    payload[kAt] = 0xff;
    CHECK(decode<NewExtendedMiningJob>(payload).version_rolling_allowed);
    payload[kAt] = 0xfe;
    CHECK_FALSE(decode<NewExtendedMiningJob>(payload).version_rolling_allowed);
}

TEST_CASE("Counts beyond a type's bounds, and beyond the message") {
    Bytes option = payload_of("NewMiningJobFuture");
    option[8] = 2;
    CHECK_THROWS_WITH(decode<NewMiningJob>(option), "NewMiningJob: expected a count of at most 1, got 2");
    Bytes prefix = payload_of("SetExtranoncePrefix");
    prefix[4] = 33;
    prefix.resize(64);
    CHECK_THROWS_WITH(decode<SetExtranoncePrefix>(prefix),
                      "SetExtranoncePrefix: expected a count of at most 32, got 33");
    Bytes path = payload_of("NewExtendedMiningJob");
    path[4 + 4 + 1 + 4 + 1] = 255;
    CHECK_THROWS_WITH(decode<NewExtendedMiningJob>(path), "NewExtendedMiningJob: it is truncated");
    Bytes group = payload_of("SetGroupChannel");
    group[5] = 0xff;
    CHECK_THROWS_WITH(decode<SetGroupChannel>(group), "SetGroupChannel: it is truncated");
}

TEST_CASE("What does not fit into a message is not cut") {
    OpenStandardMiningChannel open;
    open.user = std::string(256, 'u');
    CHECK_THROWS_AS(encode(open), std::invalid_argument);
    SetExtranoncePrefix prefix;
    prefix.extranonce_prefix.bytes.resize(33);
    CHECK_THROWS_AS(encode(prefix), std::invalid_argument);
}

TEST_CASE("The header of a frame") {
    const std::string frame("\x02\x80\x1f\x03\x02\x01rest", 10);
    const FrameHeader header = read_frame_header(frame);
    CHECK(header.extension == 2);  // without the channel's bit
    CHECK(header.type == 0x1f);
    CHECK(header.length == 0x010203);
    CHECK(header.frame_bytes() == 0x010203 + 6);
}

}  // namespace gpuminer::net::sv2
