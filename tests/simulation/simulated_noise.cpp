// Substitute for net/sv2/secured_session.cpp: frames are not encrypted. And the faults that a test plants: between the
// pool and the client's session, which stays the user's own.
#include <optional>
#include <string>
#include <utility>

#include "net/sv2/secured_session.hpp"
#include "tests/simulation/client_fault.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/sv2_frames.hpp"

namespace gpuminer::net::sv2 {

using simulation::ClientFault;
using simulation::frame_as;
using simulation::PlantedFault;

namespace {

PlantedFault& planted() { return simulation::PoolWorld::current().planted; }

template <typename Job>
std::string for_now(std::string frame) {
    auto job = frame_as<Job>(frame);
    if (!job || job->min_time || !planted().has_block) return frame;
    job->min_time = 0x65000000;
    return encode(*job);
}

std::string miscounted(std::string frame) {
    auto success = frame_as<SubmitSharesSuccess>(frame);
    if (!success || success->accepted < 2) return frame;
    --success->accepted;
    return encode(*success);
}

std::string as_own(std::string frame) {
    auto success = frame_as<SubmitSharesSuccess>(frame);
    if (!success) return frame;
    success->channel = planted().channel;
    return encode(*success);
}

void remember(const std::string& frame) {
    if (frame_as<SetupConnectionSuccess>(frame)) planted().has_block = false;
    if (frame_as<SetNewPrevHash>(frame)) planted().has_block = true;
    if (const auto opened = frame_as<OpenStandardMiningChannelSuccess>(frame)) planted().channel = opened->opened;
    if (const auto opened = frame_as<OpenExtendedMiningChannelSuccess>(frame)) planted().channel = opened->opened;
}

/// What a client with the planted fault makes of a frame.
std::string heard(std::string frame) {
    remember(frame);
    switch (planted().kind) {
        case ClientFault::kMinesFutureJobs: return for_now<NewExtendedMiningJob>(for_now<NewMiningJob>(frame));
        case ClientFault::kIgnoresTarget: return frame_as<SetTarget>(frame) ? "" : frame;
        case ClientFault::kKeepsExtranonce: return frame_as<SetExtranoncePrefix>(frame) ? "" : frame;
        case ClientFault::kMiscountsBatches: return miscounted(std::move(frame));
        case ClientFault::kTakesOtherAnswers: return as_own(std::move(frame));
        default: return frame;
    }
}

/// Empty: there is no whole one. The beginning of one that is too long is a session's own business.
std::optional<std::string> cut_frame(std::string& received, std::size_t longest) {
    if (received.size() < kHeaderBytes) return std::nullopt;
    const FrameHeader header = read_frame_header(received);
    const std::size_t size = header.length > longest ? received.size() : header.frame_bytes();
    if (received.size() < size) return std::nullopt;
    std::string frame = received.substr(0, size);
    received.erase(0, size);
    return frame;
}

// And what it gives to its session in place of a share.
StratumShare as_given(StratumShare share, bool again) {
    // One that solves a block goes out in any case.
    if (planted().kind == ClientFault::kSendsStale && !again) share.solves_block = true;
    return share;
}
bool is_given_again(bool again) { return again && planted().kind != ClientFault::kSendsAgain; }

}  // namespace

SecuredSession::SecuredSession(Options options, Security security)
    : plain_(std::move(options)), security_(std::move(security)) {}

StratumEvents SecuredSession::start(SteadyTime now) { return plain_.start(now); }

std::optional<StratumEvents> SecuredSession::next(std::string& received, SteadyTime now) {
    if (planted().kind == ClientFault::kNone) return plain_.next(received, now);
    while (true) {
        if (auto events = plain_.next(opened_, now)) return events;
        const auto frame = plain_.over() ? std::nullopt : cut_frame(received, plain_.longest_payload());
        if (!frame) return std::nullopt;
        opened_ += heard(*frame);
    }
}

StratumEvents SecuredSession::tick(SteadyTime now) { return plain_.tick(now); }

StratumEvents SecuredSession::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    return plain_.set_suggested_difficulty(difficulty, now, again);
}

SubmitDecision SecuredSession::assess(const StratumShare& share, bool again) const {
    const auto job = plain_.current_job();
    if (planted().kind == ClientFault::kJudgesByLastTarget && job && share.difficulty < job->difficulty())
        return SubmitDecision::kTooEasy;
    return plain_.assess(as_given(share, again), is_given_again(again));
}

std::optional<SubmitRequest> SecuredSession::submit(const StratumShare& share, SteadyTime now, bool again) {
    if (assess(share, again) != SubmitDecision::kSend) return std::nullopt;
    return plain_.submit(as_given(share, again), now, is_given_again(again));
}

StratumEvents SecuredSession::farewell() { return plain_.farewell(); }

}  // namespace gpuminer::net::sv2
