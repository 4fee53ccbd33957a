// Fuzzer of a Stratum V2 session, with frames of any bytes, and of each message. A session fails only with a plain
// sentence, sends nothing but whole frames and no share twice, and makes jobs whose headers, targets and version bits
// are in order. A message that is read and written is the same when it is read again.
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "net/sv2/messages.hpp"
#include "net/sv2/session.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

class Sv2Miner {
public:
    Sv2Miner(bool standard_jobs, unsigned channels) : session_(options(standard_jobs, channels)) {
        handle(session_.start(now_));
    }

    void take(std::string_view bytes) {
        received_ += bytes;
        while (const auto events = session_.next(received_, now_)) {
            handle(*events);
            now_ += std::chrono::milliseconds(300);
            handle(session_.tick(now_));
        }
        demand(session_.over() || received_.size() < sv2::kHeaderBytes ||
                   received_.size() < sv2::read_frame_header(received_).frame_bytes(),
               "all that is whole is taken");
    }

private:
    sv2::Options options(bool standard_jobs, unsigned channels) {
        sv2::Options options;
        options.user = "user";
        options.agent = "fuzz";
        options.standard_jobs = standard_jobs;
        options.channels = channels;
        options.hash_rate = [this] { return rate_; };
        options.clock = [this] { return now_; };
        return options;
    }

    void handle(const StratumEvents& events) {
        for (const StratumEvent& event : events) {
            demand(!ended_, "nothing follows the end");
            std::visit([this](const auto& known) { handle(known); }, event);
        }
        demand(session_.over() == ended_, "a session that is over has said why");
        if (ended_) demand(!session_.ready() && session_.tick(now_).empty(), "nothing happens after the end");
    }
    void handle(const Send& event) { check_frame(event.bytes); }
    void handle(const Subscribed& event) {
        demand(event.subscription.extranonce1.size() <= 64, "the prefix has its bounds");
        demand(event.subscription.extranonce2_size <= 32, "the extranonce has its bounds");
    }
    void handle(const LoggedIn&) { demand(session_.ready(), "logged in is ready"); }
    void handle(const LoginRefused& event) { end(event.sentence); }
    void handle(const ProtocolViolation& event) { end(event.sentence); }
    void handle(const NewJob& event) {
        if (event.job) check(*event.job);
        job_ = event.job;
        rate_ *= 2;
        if (job_) submit();
    }
    void handle(const DifficultyChanged& event) { demand(event.difficulty > 0, "a difficulty is positive"); }
    void handle(const ShareReplied& event) {
        demand(in_flight_.erase(event.request) == 1, "a reply is for a share that waits");
        if (event.reply.verdict != SubmitVerdict::kAccepted) fuzz::demand_plain_sentence(event.reply.reason);
    }
    void handle(const ReconnectRequested& event) {
        if (!event.host.empty()) fuzz::demand_plain_sentence(event.host);
    }
    void handle(const OperatorMessage&) { demand(false, "there are no such messages"); }
    void handle(const Warning& event) { fuzz::demand_plain_sentence(event.sentence); }

    void end(const std::string& sentence) {
        fuzz::demand_plain_sentence(sentence);
        ended_ = true;
    }

    static void check_frame(const std::string& frame) {
        demand(frame.size() >= sv2::kHeaderBytes, "what is sent has a header");
        demand(sv2::read_frame_header(frame).frame_bytes() == frame.size(), "what is sent is one frame");
    }

    static void check(const StratumJob& job) {
        demand(!job.has_header(1) || !(job.header(0) == job.header(1)), "no two headers are equal");
        demand((job.header(0).version() & job.version_mask()) == 0, "bits to be rolled are zero");
        demand((job.version_mask() & ~std::uint32_t{0x1fffffe0}) == 0, "bits to be rolled are BIP 323's");
        demand(job.target() != Hash256{}, "no target is zero");
        demand(job.extranonce2(1).size() == std::size_t{2} * job.parameters().extranonce2_size,
               "extranonce2 has its size");
    }

    void submit() {
        JobHit found;
        found.job = job_;
        found.hit.header = job_->header(0);
        found.hit.hash.bytes.fill(static_cast<std::uint8_t>(++count_));
        const StratumShare share = job_->share(found);
        const bool allowed = session_.assess(share) == SubmitDecision::kSend;
        const std::optional<SubmitRequest> request = session_.submit(share, now_);
        demand(request.has_value() == allowed, "what may be sent is sent, and nothing else");
        if (!request) return;
        check_frame(request->bytes);
        in_flight_.insert(request->id);
        demand(session_.assess(share, true) == SubmitDecision::kDuplicate && !session_.submit(share, now_, true),
               "no share is sent twice");
    }

    SteadyTime now_{};
    double rate_ = 1e6;
    std::string received_;
    std::shared_ptr<const StratumJob> job_;
    std::set<std::uint64_t> in_flight_;
    unsigned count_ = 0;
    bool ended_ = false;
    sv2::Session session_;
};

template <typename Message>
void read_and_write(std::span<const std::uint8_t> payload) {
    std::string frame;
    try {
        frame = sv2::encode(sv2::decode<Message>(payload));
    } catch (const ProtocolError& error) {
        return fuzz::demand_plain_sentence(error.what());
    }
    const Bytes again(frame.begin() + sv2::kHeaderBytes, frame.end());
    demand(sv2::encode(sv2::decode<Message>(again)) == frame, "what is written reads as what it was");
}

template <typename... Messages>
void read_and_write_each(std::span<const std::uint8_t> payload) {
    (read_and_write<Messages>(payload), ...);
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    for (const auto& [standard_jobs, channels] : {std::pair{true, 1U}, {false, 1U}, {false, 3U}}) {
        Sv2Miner miner(standard_jobs, channels);
        miner.take(all.substr(0, size / 2));
        miner.take(all.substr(size / 2));
    }
    if (size < sv2::kHeaderBytes) return 0;
    read_and_write_each<sv2::SetupConnection, sv2::SetupConnectionSuccess, sv2::SetupConnectionError, sv2::Reconnect,
                        sv2::OpenStandardMiningChannel, sv2::OpenStandardMiningChannelSuccess,
                        sv2::OpenExtendedMiningChannel, sv2::OpenExtendedMiningChannelSuccess,
                        sv2::OpenMiningChannelError, sv2::UpdateChannel, sv2::UpdateChannelError, sv2::CloseChannel,
                        sv2::SetExtranoncePrefix, sv2::SubmitSharesStandard, sv2::SubmitSharesExtended,
                        sv2::SubmitSharesSuccess, sv2::SubmitSharesError, sv2::NewMiningJob, sv2::NewExtendedMiningJob,
                        sv2::SetNewPrevHash, sv2::SetTarget, sv2::SetGroupChannel>(
        std::span(data, size).subspan(sv2::kHeaderBytes));
    return 0;
}
