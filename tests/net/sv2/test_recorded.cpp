// Tests of encrypted Stratum V2 sessions on conversations with SRI's pool (tests/live/sri), which were recorded.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "host/text/text.hpp"
#include "net/noise/authority_key.hpp"
#include "net/noise/curve.hpp"
#include "net/noise/handshake.hpp"
#include "net/sv2/secured_session.hpp"
#include "tests/catch.hpp"
#include "tests/net/noise/noise_data.hpp"
#include "tests/net/sv2/conversation.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

namespace {

sv2::Security security_of(const Recording& recording) {
    return {.authority = parse_authority_key(recording.authority),
            .wall_clock = [clock = recording.clock] { return at(clock); },
            .draw = FixedDraw(recording.draws)};
}

/// The conversation on a recording, had to its end.
struct Had {
    explicit Had(const Recording& recording) : Had(recording, security_of(recording)) {}
    Had(const Recording& recording, sv2::Security security, std::size_t piece = std::string::npos)
        : replay(recording, piece), conversation(replay.wire(), std::move(security), recording.standard_jobs) {
        conversation.have();
    }

    Replay replay;
    Conversation conversation;
    sv2::SecuredSession& session = conversation.session;
    Sv2Record& record = conversation.record;
};

/// Bytes of the server's, in all.
std::size_t server_bytes(const Recording& recording) {
    std::size_t count = 0;
    for (const Recording::Line& line : recording.lines) count += line.ours ? 0 : line.bytes.size();
    return count;
}

/// The server's byte with this number, counted over all that it sent.
char& server_byte(Recording& recording, std::size_t index) {
    for (Recording::Line& line : recording.lines) {
        if (line.ours) continue;
        if (index < line.bytes.size()) return line.bytes[index];
        index -= line.bytes.size();
    }
    throw std::out_of_range("the server sent less");
}

/// Nothing of the server's comes after this many bytes.
Recording cut(Recording recording, std::size_t count) {
    for (Recording::Line& line : recording.lines) {
        if (line.ours) continue;
        line.bytes.resize(std::min(count, line.bytes.size()));
        count -= line.bytes.size();
    }
    std::erase_if(recording.lines, [](const Recording::Line& line) { return line.bytes.empty(); });
    return recording;
}

/// Neither does nor says anything any more, whatever comes.
void check_over(Had& had) {
    Conversation& talk = had.conversation;
    CHECK_FALSE(had.session.ready());
    talk.received.append(1000, '\0');
    CHECK_FALSE(had.session.next(talk.received, talk.now).has_value());
    CHECK(had.session.tick(talk.now + std::chrono::hours(1)).empty());
    CHECK(had.session.set_suggested_difficulty(1, talk.now, true).empty());
    if (talk.share) CHECK_FALSE(had.session.submit(*talk.share, talk.now, true).has_value());
}

}  // namespace

TEST_CASE("Conversations with SRI's pool are had again, byte for byte") {
    for (const bool extended : {false, true}) {
        const Recording recording = Recording::read(extended ? "sri_extended.txt" : "sri_standard.txt");
        for (const std::size_t piece : {std::string::npos, std::size_t{1}, std::size_t{21}}) {
            INFO("extended: " << extended << ", pieces of " << piece);
            const Had had(recording, security_of(recording), piece);
            CHECK(had.replay.over());
            CHECK(had.conversation.received.empty());

            const Sv2Record& record = had.record;
            CHECK(record.errors.empty());
            CHECK(record.warnings.empty());
            CHECK(record.logins == 1);
            REQUIRE(record.subscriptions.size() == 1);
            CHECK(record.subscriptions[0].extranonce1 == (extended ? "cafe0000" : "cafe0000000000000000000000000000"));
            CHECK(record.subscriptions[0].extranonce2_size == (extended ? 12 : 0));
            REQUIRE(record.difficulties.size() == 2);
            CHECK(record.difficulties[0] == Approx(Conversation::kDifficulty));
            CHECK(record.difficulties[1] == Approx(Conversation::kSecondDifficulty));
            REQUIRE(record.jobs.size() == 1);
            CHECK(record.jobs[0]->version_mask() == 0x1fffffe0);
            REQUIRE(record.replies.size() == 1);
            CHECK(record.replies[0].first == had.conversation.request->id);
            CHECK(record.replies[0].second.verdict == SubmitVerdict::kAccepted);
            CHECK(had.session.plain().waiting() == 0);
            REQUIRE(had.session.certificate() != nullptr);
            CHECK(had.session.certificate()->valid_from <= recording.clock);
            CHECK(had.session.certificate()->not_valid_after >= recording.clock + 3500);
        }
    }
}

TEST_CASE("A server without an authority key is taken, with a warning") {
    const Recording recording = Recording::read("sri_standard.txt");
    sv2::Security security = security_of(recording);
    security.authority.reset();
    const Had had(recording, security);
    CHECK(had.record.replies.size() == 1);
    REQUIRE(had.record.warnings.size() == 1);
    CHECK_THAT(had.record.warnings[0], ContainsSubstring("has no authority key"));
}

TEST_CASE("Nothing is said to a server that is not the authority's, or not now") {
    const Recording recording = Recording::read("sri_standard.txt");
    const auto refusal = [&](const sv2::Security& security) {
        Had had(recording, security);
        CHECK(had.record.frames.size() == 1);  // the handshake's
        REQUIRE(had.record.errors.size() == 1);
        check_over(had);
        return had.record.errors[0];
    };
    sv2::Security other = security_of(recording);
    other.authority = parse_authority_key(transcript().at("other_authority").get<std::string>());
    CHECK_THAT(refusal(other), ContainsSubstring("is not signed by the authority"));
    sv2::Security later = security_of(recording);
    later.wall_clock = [&] { return at(recording.clock + 4000); };
    CHECK_THAT(refusal(later), ContainsSubstring("has expired"));
}

TEST_CASE("A handshake that is cut off ends after ten seconds") {
    const Recording recording = Recording::read("sri_standard.txt");
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kNoiseAnswerSize - 1}) {
        INFO(count);
        Had had(cut(recording, count));
        CHECK(had.conversation.received.size() == count);
        CHECK(had.record.frames.size() == 1);
        CHECK_FALSE(had.session.ready());
        CHECK(had.session.certificate() == nullptr);
        CHECK(had.session.set_suggested_difficulty(1, had.conversation.now, true).empty());
        had.conversation.take(had.session.tick(had.conversation.now + seconds(9)));
        CHECK(had.record.errors.empty());
        had.conversation.take(had.session.tick(had.conversation.now + seconds(10)));
        REQUIRE(had.record.errors.size() == 1);
        CHECK_THAT(had.record.errors[0], ContainsSubstring("has not answered the handshake"));
        check_over(had);
    }
}

TEST_CASE("A conversation that is cut off between or within frames waits, and ends by the session's own limits") {
    const Recording recording = Recording::read("sri_standard.txt");
    for (const std::size_t more : {0, 1, 22, 30}) {
        INFO(more);
        Had had(cut(recording, kNoiseAnswerSize + more));
        CHECK(had.record.frames.size() == 2);  // the handshake's, and SetupConnection
        CHECK(had.record.errors.empty());
        had.conversation.take(had.session.tick(had.conversation.now + seconds(30)));
        CHECK(had.record.errors == std::vector<std::string>{"the pool did not answer SetupConnection within 30 s"});
        check_over(had);
    }
}

TEST_CASE("A byte that is changed on the way ends the session at once") {
    const Recording recording = Recording::read("sri_extended.txt");
    const std::size_t size = server_bytes(recording), setup = kNoiseAnswerSize;
    // Of the ephemeral key, the sealed static key and the sealed certificate; of the first frame's header, its code,
    // the payload and its code; of the last frame, SetTarget.
    for (const std::size_t index : {std::size_t{3}, std::size_t{70}, setup - 1, setup, setup + 21, setup + 22,
                                    setup + 43, size - 74, size - 17, size - 1}) {
        INFO(index);
        Recording changed = recording;
        char& byte = server_byte(changed, index);
        byte = static_cast<char>(byte ^ 0x10);
        Had had(changed);
        REQUIRE(had.record.errors.size() == 1);
        CHECK_THAT(had.record.errors[0], ContainsSubstring("was changed on the way"));
        const bool last = index > setup + 43;
        CHECK(had.record.difficulties.size() == (last ? 1 : 0));
        CHECK(had.record.frames.size() == (index < setup ? 1 : last ? 4 : 2));
        check_over(had);
    }
}

// Not run by default: it is how the data were made, as they say.
TEST_CASE("A conversation with SRI's pool is recorded", "[.record]") {
    const char* const address = std::getenv("GPUMINER_SRI");
    REQUIRE(address != nullptr);
    Recording recording;
    unsigned short port = 0;
    std::string jobs;
    std::istringstream(address) >> port >> recording.authority >> jobs;
    recording.standard_jobs = jobs == "standard";
    recording.clock = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());

    namespace asio = boost::asio;
    asio::io_context context;
    asio::ip::tcp::socket socket(context);
    socket.connect({asio::ip::address_v4::loopback(), port});
    Wire wire;
    wire.send = [&](const std::string& bytes) {
        recording.lines.push_back({true, bytes});
        asio::write(socket, asio::buffer(bytes));
    };
    wire.receive = [&] {
        std::array<char, 1> byte{};
        asio::read(socket, asio::buffer(byte));
        if (recording.lines.back().ours) recording.lines.push_back({});
        recording.lines.back().bytes += byte[0];
        return std::string(1, byte[0]);
    };
    sv2::Security security = security_of(recording);
    security.draw = [&](std::span<std::uint8_t> bytes) {
        draw_random(bytes);
        recording.draws.push_back(to_hex(bytes));
    };
    Conversation conversation(wire, security, recording.standard_jobs);
    conversation.have();
    REQUIRE(conversation.record.difficulties.size() == 2);
    recording.write(std::cout);
}
