// A pool that sends anything: lines into a session, which never fails in another way than by a plain sentence, sends
// nothing but lines of JSON and no share twice, and makes jobs whose headers, targets and version bits are in order.
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "net/stratum/session.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

class Miner : public StratumHandler {
public:
    void send(std::string line) override {
        demand(!session->over(), "nothing is sent after the end");
        demand(line.find('\n') == std::string::npos, "what is sent is one line");
        const nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
        demand(message.is_object(), "what is sent is a JSON object");
    }
    void subscribed(const Subscription& subscription) override {
        demand(subscription.extranonce1.size() <= 32, "extranonce1 has its bounds");
        demand(subscription.extranonce2_size >= 1 && subscription.extranonce2_size <= 8, "extranonce2 has its bounds");
    }
    void logged_in() override {
        demand(session->ready(), "logged in is ready");
        submit();
    }
    void refused(std::string sentence) override { end(sentence); }
    void protocol_error(std::string sentence) override { end(sentence); }
    void job(std::shared_ptr<const StratumJob> job) override {
        check(*job);
        job_ = std::move(job);
        submit();
    }
    void difficulty(double difficulty) override { demand(difficulty > 0, "a difficulty is positive"); }
    void share_answered(std::uint64_t id, const ShareReply& answer) override {
        demand(waiting_.erase(id) == 1, "an answer is for a share that waits");
        if (!answer.accepted) fuzz::demand_plain_sentence(answer.reason);
    }
    void reconnect(std::string host, std::uint16_t, std::chrono::seconds wait) override {
        if (!host.empty()) fuzz::demand_plain_sentence(host);
        demand(wait.count() >= 0 && wait.count() <= 3600, "a wait has its bounds");
    }
    void show_message(std::string text) override {
        if (!text.empty()) fuzz::demand_plain_sentence(text);
    }
    void warning(std::string sentence) override { fuzz::demand_plain_sentence(sentence); }

    StratumSession* session = nullptr;

private:
    void end(const std::string& sentence) {
        fuzz::demand_plain_sentence(sentence);
        demand(session->over() && !std::exchange(ended_, true), "a session ends once");
    }

    static void check(const StratumJob& job) {
        const BlockHeader first = job.header(0);
        const BlockHeader second = job.header(1);
        demand(!(first == second), "no two headers are equal");
        // With one byte of extranonce2 the time, of 32 bits, begins anew after 2^40 headers, which nobody makes.
        demand(!(first == job.header(std::uint64_t{1} << 36)), "no two headers are equal, far apart either");
        demand((first.version() & job.version_mask()) == 0, "bits to be rolled are zero");
        demand((job.version_mask() & ~std::uint32_t{0x1fffe000}) == 0, "bits to be rolled are BIP 320's");
        demand(job.target() != Hash256{}, "no target is zero");
        demand(job.extranonce2(1).size() == std::size_t{2} * job.setting().extranonce2_size,
               "extranonce2 has its size");
        (void)job.payment_to({});
        (void)job.height();
    }

    void submit() {
        if (!job_ || session == nullptr) return;
        JobHit found;
        found.job = job_;
        found.hit.header = job_->header(0);
        found.hit.hash.bytes.fill(static_cast<std::uint8_t>(++count_));
        const StratumShare share = job_->share(found);
        const Submission submission = session->submit(share, SteadyTime{});
        if (submission.outcome != Submitted::kSent) return;
        waiting_.insert(submission.id);
        demand(session->submit(share, SteadyTime{}, true).outcome == Submitted::kDuplicate, "no share is sent twice");
    }

    std::shared_ptr<const StratumJob> job_;
    std::set<std::uint64_t> waiting_;
    unsigned count_ = 0;
    bool ended_ = false;
};

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Miner miner;
    StratumOptions options;
    options.user = "user";
    options.agent = "fuzz";
    StratumSession session(options, miner);
    miner.session = &session;
    SteadyTime now{};
    session.start(now);
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line == "~") {  // time goes by
            now += std::chrono::seconds(5);
            session.tick(now);
        } else {
            session.line(line, now);
        }
    }
    return 0;
}
