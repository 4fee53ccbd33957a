// Tests of a Stratum V2 session's way to its channel, and of what happens to that.
#include <limits>

#include "tests/catch.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("The connection is set up for an end device") {
    Sv2Talk talk;
    const auto setup = talk.pool.last<sv2::SetupConnection>();
    CHECK(setup.protocol == 0);
    CHECK(setup.min_version == 2);
    CHECK(setup.max_version == 2);
    CHECK(setup.flags == sv2::kRequiresStandardJobs);
    CHECK(setup.host == "pool.example");
    CHECK(setup.port == 34254);
    CHECK(setup.vendor == "gpuminer");
    CHECK(setup.firmware == "gpuminer/test");
    CHECK(setup.device_id.empty());
    CHECK_FALSE(talk.session.ready());

    sv2::Options plain = Sv2Talk::options();
    plain.standard_jobs = false;
    CHECK(Sv2Talk(plain).pool.last<sv2::SetupConnection>().flags == 0);
}

TEST_CASE("A standard channel is the login") {
    sv2::Options options = Sv2Talk::options();
    options.hash_rate = [] { return 2.5e9; };
    Sv2Talk talk(options);
    talk.open(4);
    const auto open = talk.pool.last<sv2::OpenStandardMiningChannel>();
    CHECK(open.user == "user.worker");
    CHECK(open.hash_rate == 2.5e9F);
    CHECK(open.max_target == filled(0xff));
    REQUIRE(talk.pool.subscriptions.size() == 1);
    CHECK(talk.pool.subscriptions[0].session.empty());
    CHECK(talk.pool.subscriptions[0].extranonce1 == "cafe");
    CHECK(talk.pool.subscriptions[0].extranonce2_size == 0);
    CHECK_FALSE(talk.pool.subscriptions[0].resumed);
    CHECK(talk.pool.logins == 1);
    CHECK(talk.session.ready());
    REQUIRE(talk.pool.difficulties.size() == 1);
    CHECK(talk.pool.difficulties[0] == Approx(4));
    CHECK(talk.pool.warnings.empty());
}

TEST_CASE("Zero is no rate, and a difficulty of the user's is the largest target") {
    sv2::Options options = Sv2Talk::options();
    options.hash_rate = [] { return 0.0; };
    options.suggest_difficulty = 16;
    Sv2Talk talk(options);
    talk.open(16);
    CHECK(talk.pool.last<sv2::OpenStandardMiningChannel>().hash_rate > 0);
    CHECK(talk.pool.last<sv2::OpenStandardMiningChannel>().max_target == target_of(16));
}

TEST_CASE("An extended channel is opened where the server requires it") {
    Sv2Talk talk(Sv2Talk::plain_options());
    talk.open_extended(6);
    CHECK(talk.pool.all<sv2::OpenStandardMiningChannel>().empty());
    CHECK(talk.pool.last<sv2::OpenExtendedMiningChannel>().min_extranonce_size == 8);
    REQUIRE(talk.pool.subscriptions.size() == 1);
    CHECK(talk.pool.subscriptions[0].extranonce1 == "f00d");
    CHECK(talk.pool.subscriptions[0].extranonce2_size == 6);
    CHECK(talk.session.ready());

    Sv2Talk told(Sv2Talk::plain_options());  // only when asked
    told.hear(sv2::SetupConnectionSuccess{2, 0});
    told.hear(sv2::OpenMiningChannelError{told.pool.last<sv2::OpenStandardMiningChannel>().request,
                                          "standard-channels-not-supported-for-custom-work"});
    CHECK(told.pool.refusals.empty());
    const auto open = told.pool.last<sv2::OpenExtendedMiningChannel>();
    CHECK(open.request != told.pool.last<sv2::OpenStandardMiningChannel>().request);
    told.hear(sv2::OpenMiningChannelError{open.request, "unknown-user"});
    REQUIRE(told.pool.refusals.size() == 1);
    CHECK_THAT(told.pool.refusals[0], ContainsSubstring("'user.worker': unknown-user"));

    Sv2Talk large(Sv2Talk::plain_options());
    large.hear(sv2::SetupConnectionSuccess{2, sv2::kRequiresExtendedChannels});
    large.hear(sv2::OpenExtendedMiningChannelSuccess{
        large.pool.last<sv2::OpenExtendedMiningChannel>().request, kChannel, target_of(1), 33, {}, kGroup});
    CHECK(large.pool.errors ==
          std::vector<std::string>{"the pool gives an extranonce of 33 bytes, expected at most 32"});
}

TEST_CASE("An end device's connection has no extended channel: the next one does without that flag") {
    Sv2Talk required;
    required.hear(sv2::SetupConnectionSuccess{2, sv2::kRequiresExtendedChannels});
    Sv2Talk told;
    told.hear(sv2::SetupConnectionSuccess{2, 0});
    told.hear(sv2::OpenMiningChannelError{told.pool.last<sv2::OpenStandardMiningChannel>().request,
                                          "standard-channels-not-supported"});
    for (Sv2Talk* const talk : {&required, &told}) {
        CHECK(talk->pool.all<sv2::OpenExtendedMiningChannel>().empty());
        REQUIRE(talk->pool.errors.size() == 1);
        CHECK_THAT(talk->pool.errors[0], ContainsSubstring("other channels take another connection"));
        CHECK(talk->pool.of_extensions);
        CHECK(talk->pool.refusals.empty());
    }

    Sv2Talk neither(Sv2Talk::plain_options());  // there is nothing else to try
    neither.hear(sv2::SetupConnectionSuccess{2, 0});
    neither.hear(sv2::OpenMiningChannelError{neither.pool.last<sv2::OpenStandardMiningChannel>().request,
                                             "standard-channels-not-supported"});
    neither.hear(sv2::OpenMiningChannelError{neither.pool.last<sv2::OpenExtendedMiningChannel>().request,
                                             "extended-channels-not-supported"});
    CHECK(neither.pool.errors ==
          std::vector<std::string>{"the pool opens no channel: extended-channels-not-supported"});
    CHECK_FALSE(neither.pool.of_extensions);
}

TEST_CASE("What a pool refuses of a channel is asked for once, then left out") {
    sv2::Options options = Sv2Talk::plain_options();
    options.suggest_difficulty = 4;
    Sv2Talk talk(options);
    talk.hear(sv2::SetupConnectionSuccess{2, sv2::kRequiresExtendedChannels});
    const auto first = talk.pool.last<sv2::OpenExtendedMiningChannel>();
    talk.hear(sv2::OpenMiningChannelError{first.request, "max-target-out-of-range"});
    const auto second = talk.pool.last<sv2::OpenExtendedMiningChannel>();
    CHECK(second.request != first.request);
    CHECK(second.max_target != first.max_target);
    CHECK(second.max_target[31] == 0xff);
    talk.hear(sv2::OpenMiningChannelError{second.request, "min-extranonce-size-too-large"});
    const auto third = talk.pool.last<sv2::OpenExtendedMiningChannel>();
    CHECK(second.min_extranonce_size == 8);
    CHECK(third.min_extranonce_size == 4);
    CHECK_FALSE(talk.session.over());
    talk.hear(sv2::OpenMiningChannelError{third.request, "min-extranonce-size-too-large"});
    CHECK(talk.session.over());
}

TEST_CASE("Refusals of the connection and of the user") {
    Sv2Talk version;
    version.hear(sv2::SetupConnectionSuccess{3, 0});
    CHECK(version.pool.errors == std::vector<std::string>{"the pool wants version 3 of Stratum"});
    CHECK(version.session.over());

    Sv2Talk refused;
    refused.hear(sv2::SetupConnectionError{0, "protocol-version-mismatch"});
    CHECK(refused.pool.refusals ==
          std::vector<std::string>{"the pool refuses the connection: protocol-version-mismatch"});

    // What may pass is an error, after which there is another attempt; without the flags where they are the reason.
    for (const std::uint32_t named : {0U, sv2::kRequiresStandardJobs}) {
        Sv2Talk failed;
        failed.hear(sv2::SetupConnectionError{named, "some-reason"});
        CHECK(failed.pool.refusals.empty());
        CHECK(failed.pool.errors == std::vector<std::string>{"the pool refuses the connection: some-reason"});
        CHECK(failed.pool.of_extensions == (named != 0));
    }
    for (const char* const code : {"busy", "too-many-users-try-later"}) {  // whatever it means, the other kind is tried
        Sv2Talk busy;
        busy.hear(sv2::SetupConnectionSuccess{2, 0});
        busy.hear(sv2::OpenMiningChannelError{busy.pool.last<sv2::OpenStandardMiningChannel>().request, code});
        CHECK(busy.pool.refusals.empty());
        REQUIRE(busy.pool.errors.size() == 1);
        CHECK_THAT(busy.pool.errors[0], ContainsSubstring(code));
        CHECK(busy.pool.of_extensions);
        Sv2Talk plain(Sv2Talk::plain_options());
        plain.hear(sv2::SetupConnectionSuccess{2, 0});
        plain.hear(sv2::OpenMiningChannelError{plain.pool.last<sv2::OpenStandardMiningChannel>().request, code});
        plain.hear(sv2::OpenMiningChannelError{plain.pool.last<sv2::OpenExtendedMiningChannel>().request, code});
        CHECK(plain.pool.errors == std::vector<std::string>{std::string("the pool opens no channel: ") + code});
    }

    Sv2Talk user;
    user.hear(sv2::SetupConnectionSuccess{2, 0});
    const std::uint32_t request = user.pool.last<sv2::OpenStandardMiningChannel>().request;
    user.hear(sv2::OpenMiningChannelError{request + 1, "of-another-request"});
    CHECK_FALSE(user.session.over());
    user.hear(sv2::OpenMiningChannelError{request, "unknown-user\x1b[31m"});
    CHECK(user.pool.refusals == std::vector<std::string>{"the pool refuses user 'user.worker': unknown-user?[31m"});

    sv2::Options options = Sv2Talk::options();
    options.user = std::string(256, 'u');
    Sv2Talk too_long(options);
    CHECK(too_long.pool.frames.empty());
    CHECK(too_long.pool.refusals.size() == 1);
}

TEST_CASE("A pool that owes something gets its time") {
    Sv2Talk setup;
    setup.wait(seconds(29));
    CHECK(setup.pool.errors.empty());
    setup.wait(seconds(1));
    CHECK(setup.pool.errors == std::vector<std::string>{"the pool did not answer SetupConnection within 30 s"});
    CHECK(setup.session.tick(setup.now).empty());

    Sv2Talk channel;
    channel.wait(seconds(20));
    channel.hear(sv2::SetupConnectionSuccess{2, 0});
    channel.wait(seconds(20));
    CHECK(channel.pool.errors.empty());
    channel.wait(seconds(10));
    CHECK(channel.pool.errors == std::vector<std::string>{"the pool did not open a channel within 30 s"});

    Sv2Talk work;
    work.open();
    work.future_job(1);  // which nobody can search yet
    work.wait(seconds(120));
    CHECK(work.pool.errors == std::vector<std::string>{"the pool gave no work within 120 s"});

    Sv2Talk mining;
    mining.begin();
    mining.wait(seconds(1'000));
    CHECK(mining.pool.errors.empty());
}

TEST_CASE("UpdateChannel comes when the rate has changed by a quarter for 30 s, once a minute at most") {
    double rate = 1e9;
    sv2::Options options = Sv2Talk::options();
    options.hash_rate = [&] { return rate; };
    Sv2Talk talk(options);
    talk.begin();
    const auto updates = [&] { return talk.pool.all<sv2::UpdateChannel>(); };
    rate = 1.25e9;  // not more than a quarter
    talk.pass(200);
    CHECK(updates().empty());
    rate = 2e9;
    talk.pass(30);
    CHECK(updates().empty());
    rate = 1e9;  // not for long enough
    talk.pass(1);
    rate = 2e9;
    talk.pass(30);
    CHECK(updates().empty());
    talk.pass(1);
    REQUIRE(updates().size() == 1);
    CHECK(updates()[0].channel == kChannel);
    CHECK(updates()[0].hash_rate == 2e9F);
    CHECK(updates()[0].max_target == filled(0xff));
    rate = 1e9;
    talk.pass(59);
    CHECK(updates().size() == 1);
    talk.pass(1);
    REQUIRE(updates().size() == 2);
    CHECK(updates()[1].hash_rate == 1e9F);
    rate = 0;  // paused: not known
    talk.pass(200);
    CHECK(updates().size() == 2);
    talk.hear(sv2::UpdateChannelError{kChannel, "invalid-nominal-hashrate"});
    CHECK(talk.session.suggestion_refusal() == "invalid-nominal-hashrate");
    CHECK(talk.session.ready());
}

TEST_CASE("A flood of shares asks for a smaller target at once") {
    Sv2Talk talk;
    talk.begin();
    talk.pool.add(talk.session.set_suggested_difficulty(64, talk.now));
    CHECK(talk.pool.all<sv2::UpdateChannel>().empty());
    for (const double none : {0.0, -1.0, std::numeric_limits<double>::infinity()})
        CHECK(talk.session.set_suggested_difficulty(none, talk.now, true).empty());
    talk.pool.add(talk.session.set_suggested_difficulty(64, talk.now, true));
    CHECK(talk.pool.last<sv2::UpdateChannel>().max_target == target_of(64));
}

TEST_CASE("What an UpdateChannel asked for is not asked for again once the pool has refused it") {
    double rate = 1e9;
    sv2::Options options = Sv2Talk::options();
    options.hash_rate = [&] { return rate; };
    options.suggest_difficulty = 4;
    Sv2Talk talk(options);
    talk.begin(1, 4);
    talk.pool.add(talk.session.set_suggested_difficulty(64, talk.now, true));
    CHECK(talk.pool.last<sv2::UpdateChannel>().max_target == target_of(64));
    talk.hear(sv2::UpdateChannelError{kChannel, "max-target-out-of-range"});
    REQUIRE(talk.pool.warnings.size() == 1);
    CHECK_THAT(talk.pool.warnings[0], ContainsSubstring("goes on as before: max-target-out-of-range"));
    CHECK(talk.pool.difficulties.size() == 1);  // that of the channel's opening
    CHECK(talk.session.current_job()->target() == target_from_difficulty("4"));
    rate = 3e9;
    talk.pass(100);
    CHECK(talk.pool.all<sv2::UpdateChannel>().size() == 2);
    CHECK(talk.pool.last<sv2::UpdateChannel>().max_target == target_of(4));
    // One that the pool has taken stays, whatever it says of the next.
    talk.pool.add(talk.session.set_suggested_difficulty(32, talk.now, true));
    rate = 9e9;
    talk.pass(100);
    talk.hear(sv2::UpdateChannelError{kChannel, "invalid-nominal-hashrate"});
    rate = 1e9;
    talk.pass(100);
    CHECK(talk.pool.all<sv2::UpdateChannel>().size() == 5);
    CHECK(talk.pool.last<sv2::UpdateChannel>().max_target == target_of(32));
}

TEST_CASE("An UpdateChannel.Error that answers nothing changes nothing") {
    double rate = 1e9;
    sv2::Options options = Sv2Talk::options();
    options.hash_rate = [&] { return rate; };
    options.suggest_difficulty = 4;
    Sv2Talk talk(options);
    talk.begin(1, 4);
    talk.hear(sv2::UpdateChannelError{kChannel, "invalid-nominal-hashrate"});
    rate = 3e9;
    talk.pass(100);
    CHECK(talk.pool.last<sv2::UpdateChannel>().max_target == target_of(4));
}

TEST_CASE("Several channels are opened one after the other, and share the rate") {
    sv2::Options options = Sv2Talk::options();
    options.channels = 3;
    options.hash_rate = [] { return 9e9; };
    Sv2Talk talk(options);
    talk.hear(sv2::SetupConnectionSuccess{2, 0});
    const auto opens = [&] { return talk.pool.all<sv2::OpenStandardMiningChannel>(); };
    const auto success = [&](std::uint32_t channel) {
        talk.hear(sv2::OpenStandardMiningChannelSuccess{opens().back().request, channel, target_of(1), {}, kGroup});
    };
    CHECK(opens().size() == 1);
    success(5);
    CHECK(talk.pool.logins == 1);
    CHECK(opens().size() == 2);
    success(6);
    REQUIRE(opens().size() == 3);
    CHECK(opens()[2].hash_rate == 3e9F);
    CHECK(opens()[2].request != opens()[1].request);
    talk.hear(sv2::OpenMiningChannelError{opens()[2].request, "too-many-channels"});
    CHECK(talk.pool.warnings == std::vector<std::string>{"the pool opens 2 of 3 channels: too-many-channels"});
    const auto updates = talk.pool.all<sv2::UpdateChannel>();  // the two have a half each, in place of a third
    REQUIRE(updates.size() == 2);
    CHECK((updates[0].channel == 5 && updates[1].channel == 6));
    CHECK((updates[0].hash_rate == 4.5e9F && updates[1].hash_rate == 4.5e9F));
    CHECK(talk.session.ready());
    CHECK(talk.pool.logins == 1);
    CHECK(talk.pool.subscriptions.size() == 1);
    talk.pool.add(talk.session.farewell());
    CHECK(talk.pool.all<sv2::CloseChannel>().size() == 2);

    Sv2Talk unanswered(options);
    unanswered.hear(sv2::SetupConnectionSuccess{2, 0});
    const std::uint32_t first = unanswered.pool.last<sv2::OpenStandardMiningChannel>().request;
    unanswered.hear(sv2::OpenStandardMiningChannelSuccess{first, kChannel, target_of(1), {}, kGroup});
    unanswered.future_job(1);
    unanswered.block(1);
    unanswered.pass(100);
    CHECK(unanswered.pool.warnings ==
          std::vector<std::string>{"the pool opens 1 of 3 channels: no answer within 30 s"});
    CHECK(unanswered.pool.last<sv2::UpdateChannel>().hash_rate == 9e9F);
    CHECK(unanswered.session.ready());

    Sv2Talk twice(options);
    twice.hear(sv2::SetupConnectionSuccess{2, 0});
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t request = twice.pool.last<sv2::OpenStandardMiningChannel>().request;
        twice.hear(sv2::OpenStandardMiningChannelSuccess{request, 5, target_of(1), {}, kGroup});
    }
    CHECK(twice.pool.errors == std::vector<std::string>{"the pool opens a channel twice"});
}

TEST_CASE("Closing, groups and another server") {
    Sv2Talk closed;
    closed.begin();
    closed.hear(sv2::CloseChannel{kChannel + 1, "another's"});
    CHECK_FALSE(closed.session.over());
    closed.hear(sv2::CloseChannel{kChannel, "maintenance"});
    CHECK(closed.pool.errors == std::vector<std::string>{"the pool has closed the channel: maintenance"});

    CHECK(closed.session.farewell().empty());

    Sv2Talk left;
    CHECK(left.session.farewell().empty());  // nothing is open yet
    left.begin();
    left.pool.add(left.session.farewell());
    CHECK(left.pool.last<sv2::CloseChannel>().channel == kChannel);
    CHECK(left.pool.last<sv2::CloseChannel>().reason == "the miner ends its session");

    Sv2Talk group;
    group.begin();
    group.hear(sv2::SetGroupChannel{77, {1, kChannel, 2}});
    group.hear(sv2::SetGroupChannel{78, {1, 2}});
    group.hear(sv2::CloseChannel{78, "not ours"});
    CHECK_FALSE(group.session.over());
    group.hear(sv2::CloseChannel{77, ""});
    CHECK(group.pool.errors == std::vector<std::string>{"the pool has closed the channel: no reason given"});

    Sv2Talk moved;
    moved.begin();
    moved.hear(sv2::Reconnect{"", 0});
    moved.hear(sv2::Reconnect{"eu.pool.example", 3334});
    moved.hear(sv2::Reconnect{"no host\n", 1});
    REQUIRE(moved.pool.reconnects.size() == 2);
    CHECK(moved.pool.reconnects[0].host.empty());
    CHECK(moved.pool.reconnects[0].port == 0);
    CHECK(moved.pool.reconnects[1].host == "eu.pool.example");
    CHECK(moved.pool.reconnects[1].port == 3334);
    CHECK(moved.pool.reconnects[1].wait == seconds(0));
    CHECK(moved.pool.warnings.size() == 1);
}
