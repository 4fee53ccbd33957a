// Fuzzer of a Stratum session in each dialect, with lines of any bytes. It fails only with a plain
// sentence, sends nothing but lines of JSON and no share twice, and makes jobs whose headers, targets and version bits
// are in order.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "net/bitcoin/coinbase_view.hpp"
#include "net/stratum/session.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

class Miner {
public:
    explicit Miner(const StratumDialect& dialect) : dialect_(dialect), session_(options(dialect)) {
        handle(session_.start(now_));
    }

    void line(std::string_view line) {
        take(line.substr(0, line.size() / 2));
        take(std::string(line.substr(line.size() / 2)) + "\n");
        demand(received_.empty() || session_.over(), "all that is whole is taken");
    }
    void take(std::string_view bytes) {
        received_ += bytes;
        while (const auto events = session_.next(received_, now_)) handle(*events);
    }
    void wait(std::chrono::seconds time) {
        now_ += time;
        handle(session_.tick(now_));
    }

private:
    static StratumOptions options(const StratumDialect& dialect) {
        StratumOptions options;
        options.dialect = &dialect;
        options.user = "user";
        options.agent = "fuzz";
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
    void handle(const Send& event) { check_line(event.bytes); }
    void handle(const Subscribed& event) {
        const Subscription& subscription = event.subscription;
        const unsigned size = subscription.extranonce2_size;
        if (&dialect_ == &kVerusDialect) {
            demand(subscription.extranonce1.size() == std::size_t{2} * (32 - size), "together they are the nonce");
            demand(size >= 24 && size <= 32, "nonce2 has its bounds");
        } else {
            demand(subscription.extranonce1.size() <= 64, "extranonce1 has its bounds");
            demand(size <= 32, "extranonce2 has its bounds");
        }
    }
    void handle(const LoggedIn&) {
        demand(session_.ready(), "logged in is ready");
        submit();
    }
    void handle(const LoginRefused& event) { end(event.sentence); }
    void handle(const ProtocolViolation& event) { end(event.sentence); }
    void handle(const NewJob& event) {
        if (event.job) check(*event.job);
        job_ = event.job;
        submit();
    }
    void handle(const DifficultyChanged& event) { demand(event.difficulty > 0, "a difficulty is positive"); }
    void handle(const ShareReplied& event) {
        demand(in_flight_.erase(event.request) == 1, "a reply is for a share that waits");
        if (event.reply.verdict != SubmitVerdict::kAccepted) fuzz::demand_plain_sentence(event.reply.reason);
    }
    void handle(const ReconnectRequested& event) {
        if (!event.host.empty()) fuzz::demand_plain_sentence(event.host);
        demand(event.wait.count() >= 0 && event.wait.count() <= 3600, "a wait has its bounds");
    }
    void handle(const OperatorMessage& event) {
        if (!event.text.empty()) fuzz::demand_plain_sentence(event.text);
    }
    void handle(const Warning& event) { fuzz::demand_plain_sentence(event.sentence); }

    void end(const std::string& sentence) {
        fuzz::demand_plain_sentence(sentence);
        ended_ = true;
    }

    static void check_line(const std::string& line) {
        demand(line.find('\n') == line.size() - 1, "what is sent is one line");
        const nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
        demand(message.is_object(), "what is sent is a JSON object");
    }

    static void check(const StratumJob& job) {
        const BlockHeader first = job.header(0);
        const BlockHeader second = job.header(1);
        demand(!(first == second), "no two headers are equal");
        // With one byte of extranonce2 the time, of 32 bits, begins anew after 2^40 headers, which nobody makes.
        constexpr std::uint64_t kFar = std::uint64_t{1} << 36;
        demand(!job.has_header(kFar) || !(first == job.header(kFar)), "no two headers are equal, far apart either");
        demand((first.version() & job.version_mask()) == 0, "bits to be rolled are zero");
        demand((job.version_mask() & ~std::uint32_t{0x1fffffe0}) == 0, "bits to be rolled are BIP 323's");
        demand(job.target() != Hash256{}, "no target is zero");
        demand(job.extranonce2(1).size() == std::size_t{2} * job.parameters().extranonce2_size,
               "extranonce2 has its size");
        (void)coinbase_payment(job.coinbase(0), {});
    }

    void submit() {
        if (!job_) return;
        JobHit found;
        found.job = job_;
        found.hit.header = job_->header(0);
        found.hit.hash.bytes.fill(static_cast<std::uint8_t>(++count_));
        const StratumShare share = job_->share(found);
        const bool allowed = session_.assess(share) == SubmitDecision::kSend;
        const std::optional<SubmitRequest> request = session_.submit(share, now_);
        demand(request.has_value() == allowed, "what may be sent is sent, and nothing else");
        if (!request) return;
        check_line(request->bytes);
        in_flight_.insert(request->id);
        demand(session_.assess(share, true) == SubmitDecision::kDuplicate && !session_.submit(share, now_, true),
               "no share is sent twice");
    }

    const StratumDialect& dialect_;
    SteadyTime now_{};
    StratumSession session_;
    std::string received_;
    std::shared_ptr<const StratumJob> job_;
    std::set<std::uint64_t> in_flight_;
    unsigned count_ = 0;
    bool ended_ = false;
};

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const bool verus = rest.starts_with("verus\n");
    if (verus) rest.remove_prefix(rest.find('\n') + 1);
    Miner miner(verus ? kVerusDialect : kBitcoinDialect);
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line == "~") {  // time goes by
            miner.wait(std::chrono::seconds(5));
        } else {
            miner.line(line);
        }
    }
    return 0;
}
