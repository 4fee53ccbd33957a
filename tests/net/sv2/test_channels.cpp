// Tests of a Stratum V2 session with several channels.
#include <set>
#include <string>
#include <vector>

#include "net/pool/messages.hpp"
#include "tests/catch.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

TEST_CASE("A channel without a job ends no session in which another has one") {
    sv2::Options options = Sv2Talk::options();
    options.channels = 2;
    Sv2Talk talk(options);
    talk.hear(sv2::SetupConnectionSuccess{2, 0});
    for (const std::uint32_t channel : {kChannel, kChannel + 1}) {
        const std::uint32_t request = talk.pool.last<sv2::OpenStandardMiningChannel>().request;
        talk.hear(sv2::OpenStandardMiningChannelSuccess{request, channel, target_of(1), {}, kGroup});
    }
    talk.future_job(1);
    talk.hear(sv2::SetNewPrevHash{kGroup, 1, filled(0x22), kTime, kHardBits});
    talk.pass(130);
    CHECK(talk.pool.errors.empty());
    talk.hear(sv2::SetNewPrevHash{kGroup, 2, filled(0x23), kTime, kHardBits});  // now neither has one
    talk.pass(130);
    CHECK(talk.pool.errors.size() == 1);
}

TEST_CASE("Of channels that differ in difficulty, turns are no changes of it") {
    std::vector<std::string> said;
    JobMessages messages([&](Severity, const std::string& sentence) { said.push_back(sentence); }, false);
    sv2::Options options = Sv2Talk::options();
    options.channels = 2;
    Sv2Talk talk(options);
    talk.hear(sv2::SetupConnectionSuccess{2, 0});
    for (const std::uint32_t channel : {kChannel, kChannel + 1}) {
        const std::uint32_t request = talk.pool.last<sv2::OpenStandardMiningChannel>().request;
        const double difficulty = channel == kChannel ? 1 : 64;
        talk.hear(sv2::OpenStandardMiningChannelSuccess{request, channel, target_of(difficulty), {}, kGroup});
        talk.hear(sv2::NewMiningJob{channel, 1, {}, 0x20000000, filled(0x11)});
    }
    talk.hear(sv2::SetNewPrevHash{kGroup, 1, filled(0x22), kTime, kHardBits});
    std::set<double> mined;
    for (int second = 0; second < 20; ++second) {
        talk.pass(1);
        mined.insert(talk.session.current_job()->difficulty());
        messages.job("pool", "user", *talk.session.current_job(), 0);
    }
    CHECK(mined.size() == 2);
    REQUIRE(said.size() == 2);  // the login, and the other channel's
    talk.hear(sv2::SetTarget{kChannel, target_of(8)});
    talk.hear(sv2::NewMiningJob{kChannel, 2, kTime, 0x20000000, filled(0x12)});
    for (int second = 0; second < 20; ++second) {
        talk.pass(1);
        messages.job("pool", "user", *talk.session.current_job(), 0);
    }
    CHECK(said.size() == 3);
}
