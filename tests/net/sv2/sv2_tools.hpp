// Shared by the tests of the Stratum V2 session: a record of its events, a pool's messages, headers by the oracle.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/block/checker.hpp"
#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/sv2/messages.hpp"
#include "net/sv2/session.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

using namespace gpuminer::net;
using std::chrono::seconds;

inline constexpr std::uint32_t kChannel = 5, kGroup = 9;
inline constexpr std::uint32_t kTime = 1'700'000'000;
inline constexpr std::uint32_t kEasyBits = 0x207fffff;  // every second hash solves a block
inline constexpr std::uint32_t kHardBits = 0x1d00ffff;

inline Digest filled(std::uint8_t byte) {
    Digest digest;
    digest.fill(byte);
    return digest;
}

/// A target on the wire: the difficulty's.
inline Digest target_of(double difficulty) { return internal_order(target_from_difficulty(difficulty)); }

/// The events of a session, sorted by kind.
struct Sv2Record {
    std::vector<std::string> frames;
    std::vector<Subscription> subscriptions;
    std::vector<std::shared_ptr<const StratumJob>> jobs;
    std::vector<double> difficulties;
    std::vector<std::pair<std::uint64_t, ShareReply>> replies;
    std::vector<ReconnectRequested> reconnects;
    std::vector<std::string> warnings, refusals, errors;
    bool of_extensions = false;  // the last of the errors
    int logins = 0;

    void add(const StratumEvents& events) {
        for (const StratumEvent& event : events) std::visit([this](const auto& known) { add(known); }, event);
    }
    void add(const Send& event) { frames.push_back(event.bytes); }
    void add(const Subscribed& event) { subscriptions.push_back(event.subscription); }
    void add(const LoggedIn&) { ++logins; }
    void add(const LoginRefused& event) { refusals.push_back(event.sentence); }
    void add(const NewJob& event) { jobs.push_back(event.job); }
    void add(const DifficultyChanged& event) { difficulties.push_back(event.difficulty); }
    void add(const ShareReplied& event) { replies.emplace_back(event.request, event.reply); }
    void add(const ReconnectRequested& event) { reconnects.push_back(event); }
    void add(const OperatorMessage&) { FAIL("there are none in Stratum V2"); }
    void add(const Warning& event) { warnings.push_back(event.sentence); }
    void add(const ProtocolViolation& event) {
        errors.push_back(event.sentence);
        of_extensions = event.of_extensions;
    }

    /// The messages of this kind that were sent.
    template <typename Message>
    [[nodiscard]] std::vector<Message> all() const {
        std::vector<Message> found;
        for (const std::string& frame : frames) {
            const auto header = sv2::read_frame_header(frame);
            REQUIRE(header.frame_bytes() == frame.size());  // one message each
            if (header.type != sv2::kRow<Message>.type) continue;
            const Bytes payload(frame.begin() + sv2::kHeaderBytes, frame.end());
            found.push_back(sv2::decode<Message>(payload));
        }
        return found;
    }
    template <typename Message>
    [[nodiscard]] Message last() const {
        const auto found = all<Message>();
        REQUIRE_FALSE(found.empty());
        return found.back();
    }
};

/// A session in conversation with the test.
struct Sv2Talk {
    explicit Sv2Talk(sv2::Options chosen = options()) : session(std::move(chosen)) { pool.add(session.start(now)); }
    static sv2::Options options() {
        sv2::Options options;
        options.user = "user.worker";
        options.agent = "gpuminer/test";
        options.host = "pool.example";
        options.port = 34254;
        return options;
    }

    /// Of a session that also takes extended jobs.
    static sv2::Options plain_options() {
        sv2::Options plain = options();
        plain.standard_jobs = false;
        return plain;
    }

    Sv2Record pool;
    SteadyTime now{std::chrono::hours(1)};
    sv2::Session session;
    std::string received;  ///< of no whole frame

    template <typename Message>
    void hear(const Message& message) {
        hear_bytes(sv2::encode(message));
    }
    void hear_bytes(const std::string& bytes) {
        received += bytes;
        while (const auto events = session.next(received, now)) pool.add(*events);
    }
    void wait(seconds time) {
        now += time;
        pool.add(session.tick(now));
    }
    /// Second by second.
    void pass(int count) {
        for (int i = 0; i < count; ++i) wait(seconds(1));
    }
    std::optional<std::uint64_t> submit(const StratumShare& share, bool again = false) {
        const SubmitDecision decision = session.assess(share, again);
        const std::optional<SubmitRequest> request = session.submit(share, now, again);
        REQUIRE(request.has_value() == (decision == SubmitDecision::kSend));
        if (!request) return std::nullopt;
        pool.add(Send{request->bytes});
        return request->id;
    }

    /// A standard channel of this difficulty.
    void open(double difficulty = 1, std::uint32_t flags = 0) {
        hear(sv2::SetupConnectionSuccess{2, flags});
        const std::uint32_t request = pool.last<sv2::OpenStandardMiningChannel>().request;
        hear(sv2::OpenStandardMiningChannelSuccess{request, kChannel, target_of(difficulty), {{0xca, 0xfe}}, kGroup});
    }
    void open_extended(std::uint16_t size = 8, std::uint32_t flags = sv2::kRequiresExtendedChannels) {
        hear(sv2::SetupConnectionSuccess{2, flags});
        const std::uint32_t request = pool.last<sv2::OpenExtendedMiningChannel>().request;
        hear(sv2::OpenExtendedMiningChannelSuccess{request, kChannel, target_of(1), size, {{0xf0, 0x0d}}, kGroup});
    }
    void future_job(std::uint32_t id, std::uint8_t root = 0x11) {
        hear(sv2::NewMiningJob{kChannel, id, {}, 0x20000000, filled(root)});
    }
    void job(std::uint32_t id, std::uint8_t root = 0x11, std::uint32_t time = kTime) {
        hear(sv2::NewMiningJob{kChannel, id, time, 0x20000000, filled(root)});
    }
    void block(std::uint32_t id, std::uint8_t previous = 0x22, std::uint32_t nbits = kHardBits) {
        hear(sv2::SetNewPrevHash{kChannel, id, filled(previous), kTime, nbits});
    }
    /// A job to be searched.
    void begin(std::uint32_t id = 1, double difficulty = 1) {
        open(difficulty);
        future_job(id);
        block(id);
    }
};

/// What a device would report of header `index` with these version bits and this nonce.
inline StratumShare share_of(const std::shared_ptr<const StratumJob>& job, std::uint32_t nonce, std::uint32_t bits = 0,
                             std::uint64_t index = 0) {
    JobHit found;
    found.job = job;
    found.index = index;
    const BlockHeader header = job->header(index);
    found.hit.header = header.with_version(header.version() | bits).with_nonce(nonce);
    found.hit.hash = double_sha256(found.hit.header.bytes);
    return job->share(found);
}

/// The hash of the header that a submission stands for, by the specification and the oracle.
inline Hash256 hash_of(const sv2::SubmitSharesStandard& submit, const sv2::SetNewPrevHash& block, const Digest& root) {
    Bytes header;
    append_little_endian(header, submit.version, 4);
    append(header, block.previous_hash);
    append(header, root);
    append_little_endian(header, submit.time, 4);
    append_little_endian(header, block.nbits, 4);
    append_little_endian(header, submit.nonce, 4);
    REQUIRE(header.size() == 80);
    return double_sha256(header);
}

/// The merkle root by the specification and the oracle. `extranonce`: with its prefix.
inline Digest root_of(const sv2::NewExtendedMiningJob& job, const Bytes& extranonce) {
    Bytes coinbase = job.coinbase_prefix.bytes;
    append(coinbase, extranonce);
    append(coinbase, job.coinbase_suffix.bytes);
    Digest root = internal_order(double_sha256(coinbase));
    for (const Digest& leaf : job.merkle_path) {
        Bytes pair(root.begin(), root.end());
        append(pair, leaf);
        root = internal_order(double_sha256(pair));
    }
    return root;
}

}  // namespace gpuminer::test
