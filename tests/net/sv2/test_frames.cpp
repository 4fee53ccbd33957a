// Tests of frames in a Stratum V2 session: pieces, lengths, extensions, messages cut short.
#include "tests/catch.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

TEST_CASE("Frames come in any pieces") {
    Sv2Talk talk;
    const std::string frame = sv2::encode(sv2::SetupConnectionSuccess{2, 0});
    for (const char byte : frame) {
        CHECK(talk.pool.all<sv2::OpenStandardMiningChannel>().empty());
        talk.hear_bytes(std::string(1, byte));
    }
    CHECK(talk.pool.all<sv2::OpenStandardMiningChannel>().size() == 1);
    const std::uint32_t request = talk.pool.last<sv2::OpenStandardMiningChannel>().request;
    // Several at once, each with events of its own.
    std::string several =
        sv2::encode(sv2::OpenStandardMiningChannelSuccess{request, kChannel, target_of(1), {}, kGroup});
    several += sv2::encode(sv2::NewMiningJob{kChannel, 1, {}, 0x20000000, filled(1)});
    several += sv2::encode(sv2::SetNewPrevHash{kChannel, 1, filled(2), kTime, kHardBits});
    talk.hear_bytes(several + several.substr(0, 3));
    CHECK(talk.session.current_job());
    CHECK(talk.received.size() == 3);
}

TEST_CASE("A message that is too long ends the session before it has come") {
    Sv2Talk setup;
    setup.hear_bytes(std::string("\x00\x00\x01\x01\x10\x00", 6));
    CHECK(setup.pool.errors ==
          std::vector<std::string>{"the pool sends a message of 4097 bytes, expected at most 4096"});
    CHECK_FALSE(setup.session.next(setup.received, setup.now).has_value());

    Sv2Talk talk;
    talk.begin();
    talk.hear_bytes(std::string("\x00\x80\x1f\x00\x00\x08", 6));
    CHECK_FALSE(talk.session.over());
    CHECK_FALSE(talk.session.next(talk.received, talk.now).has_value());  // it waits for the rest
    Sv2Talk longer;
    longer.begin();
    longer.hear_bytes(std::string("\x00\x80\x1f\x01\x00\x08", 6));
    CHECK(longer.session.over());
    CHECK_FALSE(longer.session.ready());
    CHECK(longer.session.tick(longer.now).empty());
}

TEST_CASE("Unknown extensions and unknown messages are ignored") {
    Sv2Talk talk;
    talk.begin();
    const std::size_t sent = talk.pool.frames.size();
    std::string extension = sv2::encode(sv2::CloseChannel{kChannel, "of an extension"});
    extension[0] = 1;
    talk.hear_bytes(extension);
    extension[0] = 0;
    extension[1] = '\xc0';
    talk.hear_bytes(extension);
    for (const std::uint8_t type : {0x03, 0x1e, 0x22, 0x26, 0x57, 0xff})
        talk.hear_bytes(sv2::make_frame(type, true, {5, 0, 0, 0, 1}));
    talk.hear(sv2::SetupConnectionSuccess{2, 0});  // and what is known, but not now
    talk.hear(sv2::OpenStandardMiningChannelSuccess{1, 99, target_of(2), {}, 0});
    CHECK(talk.session.ready());
    CHECK(talk.pool.warnings.empty());
    CHECK(talk.pool.logins == 1);
    CHECK(talk.pool.frames.size() == sent);
    // The channel's bit has no say in what a message is.
    std::string plain = sv2::encode(sv2::CloseChannel{kChannel, "bit unset"});
    plain[1] = 0;
    talk.hear_bytes(plain);
    CHECK(talk.session.over());
}

TEST_CASE("A message cut short ends the session") {
    Sv2Talk talk;
    talk.begin();
    talk.hear_bytes(sv2::make_frame(0x21, true, {5, 0, 0, 0, 1, 2, 3}));
    CHECK(talk.pool.errors ==
          std::vector<std::string>{"the pool does not speak Stratum V2: SetTarget: it is truncated"});
    Sv2Talk empty;
    empty.begin();
    empty.hear_bytes(sv2::make_frame(0x20, true, {}));
    CHECK(empty.session.over());
}

TEST_CASE("However much is odd, there are ten warnings at most") {
    Sv2Talk talk;
    talk.begin();
    for (std::uint32_t i = 0; i < 100; ++i) talk.hear(sv2::SetTarget{1'000 + i, target_of(1)});
    CHECK(talk.pool.warnings.size() == 10);
    CHECK(talk.session.ready());
}
