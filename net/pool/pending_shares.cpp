#include "net/pool/pending_shares.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/algorithm.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {

nlohmann::json ShareSums::entry() const {
    return {{"event", "shares"},  {"shares", shares},   {"accepted", accepted},
            {"refused", refused}, {"dropped", dropped}, {"accepted_difficulty", accepted_difficulty}};
}

namespace {

using nlohmann::json;

constexpr std::size_t kMostWaiting = 10'000;
constexpr std::size_t kMostWaitingSummed = 2'000;

double unix_seconds() { return static_cast<double>(unix_milliseconds()) / 1000; }

/// Throws what makes take_up() leave the entry out.
std::uint32_t number_in(const json& entry, const char* name) {
    const auto& digits = entry.at(name).get_ref<const std::string&>();
    const std::optional<std::uint32_t> number = parse_hex32(digits);
    if (!number) throw InputError(fmt::format("expected 1 to 8 hex digits as {}, got {}", name, quoted_text(digits)));
    return *number;
}

json share_entry(const PendingShare& pending, const std::string& pool, const std::string& user,
                 const std::string& algorithm, const Subscription& session, const std::string& header_hex) {
    const StratumShare& share = pending.share;
    json entry{{"event", "share"},
               {"id", pending.id},
               {"time", unix_seconds()},
               {"pool", pool},
               {"user", user},
               {"algorithm", algorithm},
               {"session", session.session},
               {"extranonce1", share.extranonce1},
               {"job", share.job_id},
               {"extranonce2", share.extranonce2},
               {"ntime", hex8(share.time)},
               {"nonce", hex8(share.nonce)},
               {"header", header_hex},
               {"hash", share.hash.hex()},
               {"difficulty", share.difficulty},
               {"share_difficulty", difficulty_of(share.hash)},
               {"block", share.solves_block}};
    if (!share.solution.empty()) entry["solution"] = share.solution;
    if (share.solves_block) entry["previous"] = share.previous.hex();
    if (share.version_bits != 0) entry["version_bits"] = hex8(share.version_bits);
    return entry;
}

Hash256 previous_from(const json& entry) {
    const auto previous = entry.find("previous");
    if (previous != entry.end()) return hash256_from_hex(previous->get<std::string>(), "a block's hash");
    // Of a journal from before that field, when there was Bitcoin alone.
    return parse_header_hex(entry.at("header").get_ref<const std::string&>()).header.previous_hash();
}

// The first four bytes of a header, in every algorithm; 0 where there are none.
std::uint32_t version_from(const json& entry) {
    const std::optional<std::uint32_t> reversed = parse_hex32(entry.value("header", "").substr(0, 8));
    Bytes bytes(4);
    store_be32(bytes, 0, reversed.value_or(0));
    return load_le32(bytes);
}

StratumShare share_from(const json& entry) {
    StratumShare share;
    share.job_id = entry.at("job").get<std::string>();
    share.extranonce1 = entry.at("extranonce1").get<std::string>();
    share.extranonce2 = entry.at("extranonce2").get<std::string>();
    share.time = number_in(entry, "ntime");
    share.nonce = number_in(entry, "nonce");
    if (entry.contains("version_bits")) share.version_bits = number_in(entry, "version_bits");
    share.version = version_from(entry);
    share.hash = hash256_from_hex(entry.at("hash").get<std::string>(), "a share's hash");
    share.difficulty = entry.at("difficulty").get<double>();
    share.solves_block = entry.at("block").get<bool>();
    share.solution = entry.value("solution", "");
    if (share.solves_block) share.previous = previous_from(entry);
    return share;
}

bool fits(const StratumShare& share, const Subscription& session) {
    return share.extranonce1 == session.extranonce1 &&
           share.extranonce2.size() == std::size_t{2} * session.extranonce2_size;
}

}  // namespace

PendingShares::PendingShares(Journal& journal, const std::vector<PoolLogin>& pools, const Algorithm& algorithm)
    : journal_(journal), algorithm_(algorithm.name), run_(fmt::format("{:x}", unix_milliseconds())) {
    for (const PoolLogin& login : pools) pools_.push_back({canonical_url(login.url), login.user, {}, false, {}});
    take_up();
}

PendingShares::~PendingShares() { (void)write_sums(); }

void PendingShares::take_up() {
    for (const json& entry : journal_.take_open()) {
        try {  // the file may have been edited
            take_up(entry);
        } catch (const std::exception&) {
            continue;
        }
    }
    // A session is worth resuming only for the sake of shares.
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (!pools_[i].subscribed && unsent(i).empty()) pools_[i].session = {};
    }
}

void PendingShares::take_up(const json& entry) {
    const std::string event = entry.at("event").get<std::string>();
    if (event != "share" && event != "session") return;
    // (Without the field: of a time when there was Bitcoin alone.)
    if (entry.value("algorithm", kSha256d.name) != algorithm_) return;
    const auto pool = std::find_if(pools_.begin(), pools_.end(), [&](const Pool& p) {
        return p.name == entry.at("pool").get<std::string>() && p.user == entry.at("user").get<std::string>();
    });
    if (pool == pools_.end()) return;
    if (event == "session") {
        if (pool->subscribed) return;
        pool->session = {entry.at("session").get<std::string>(), entry.at("extranonce1").get<std::string>(),
                         entry.at("extranonce2_size").get<unsigned>()};
        return;
    }
    PendingShare pending;
    pending.id = entry.at("id").get<std::string>();
    pending.origin.pool = static_cast<std::size_t>(pool - pools_.begin());
    pending.share = share_from(entry);
    pending.again = true;
    shares_.push_back(std::move(pending));
}

void PendingShares::subscribed(std::size_t pool, const Subscription& subscription) {
    Pool& record = pools_[pool];
    record.session = subscription;
    record.subscribed = true;
    journal_.append({{"event", "session"},
                     {"time", unix_seconds()},
                     {"pool", record.name},
                     {"user", record.user},
                     {"algorithm", algorithm_},
                     {"session", subscription.session},
                     {"extranonce1", subscription.extranonce1},
                     {"extranonce2_size", subscription.extranonce2_size}});
    for (PendingShare* pending : unsent(pool)) {
        if (pending->share.solves_block || fits(pending->share, subscription)) continue;
        drop(*pending, "the pool did not resume the session");
    }
}

PendingShare& PendingShares::add(const JobOrigin& origin, StratumShare share, const std::string& header_hex) {
    if (shares_.size() >= (summing_ ? kMostWaitingSummed : kMostWaiting)) {
        const auto oldest = std::find_if(shares_.begin(), shares_.end(),
                                         [](const PendingShare& pending) { return !pending.share.solves_block; });
        if (oldest != shares_.end()) drop(*oldest, "too many shares are waiting for an answer");
    }
    PendingShare pending;
    pending.id = fmt::format("{}-{}", run_, ++counter_);
    pending.origin = origin;
    pending.share = std::move(share);
    Pool& pool = pools_[origin.pool];
    pending.summed = is_to_be_summed(pending.share);
    if (pending.summed) {
        ++pool.sums.shares;
    } else {
        pending.written =
            journal_.append(share_entry(pending, pool.name, pool.user, algorithm_, pool.session, header_hex));
    }
    return shares_.emplace_back(std::move(pending));
}

// Where every hash solves a block, these are as many as the others.
bool PendingShares::is_to_be_summed(const StratumShare& share) {
    return summing_ && !(share.solves_block && block_entries_.take(steady_now()));
}

ShareSums PendingShares::write_sums() {
    ShareSums all;
    for (Pool& pool : pools_) {
        const ShareSums sums = std::exchange(pool.sums, {});
        if (sums.empty()) continue;
        json entry = sums.entry();
        entry["time"] = unix_seconds();
        entry["pool"] = pool.name;
        entry["user"] = pool.user;
        journal_.append(entry);
        all.shares += sums.shares;
        all.accepted += sums.accepted;
        all.refused += sums.refused;
        all.dropped += sums.dropped;
        all.accepted_difficulty += sums.accepted_difficulty;
    }
    return all;
}

std::vector<PendingShare*> PendingShares::unsent(std::size_t pool) {
    std::vector<PendingShare*> list;
    for (PendingShare& pending : shares_) {
        if (pending.origin.pool == pool && !pending.request) list.push_back(&pending);
    }
    return list;
}

void PendingShares::sent(PendingShare& pending, std::uint64_t connection, std::uint64_t request, SteadyTime now) {
    if (pending.again) ++resent_;
    pending.request = request;
    pending.sent_on = connection;
    pending.sent = now;
}

std::optional<AnsweredShare> PendingShares::replied(std::uint64_t connection, std::uint64_t request,
                                                    const ShareReply& reply, SteadyTime now) {
    const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const PendingShare& pending) {
        return pending.sent_on == connection && pending.request == request;
    });
    if (found == shares_.end()) return std::nullopt;
    AnsweredShare answered{std::move(*found), reply, 0, false};
    shares_.erase(found);
    // The pool had it from the first time.
    if (reply.kind == RefusalKind::kDuplicate && answered.pending.again)
        answered.reply.verdict = SubmitVerdict::kAccepted;
    answered.latency_ms = std::chrono::duration<double, std::milli>(now - answered.pending.sent).count();
    const bool accepted = answered.reply.verdict == SubmitVerdict::kAccepted;
    if (answered.pending.summed) {
        ShareSums& sums = pools_[answered.pending.origin.pool].sums;
        ++(accepted ? sums.accepted : sums.refused);
        if (accepted) sums.accepted_difficulty += answered.pending.share.difficulty;
        return answered;
    }
    journal_.append({{"event", "reply"},
                     {"share", answered.pending.id},
                     {"accepted", accepted},
                     {"difficulty", answered.pending.share.difficulty},
                     {"reason", answered.reply.reason},
                     {"latency_ms", answered.latency_ms}});
    return answered;
}

void PendingShares::drop(const PendingShare& pending, const std::string& reason) {
    if (pending.summed) {
        ++pools_[pending.origin.pool].sums.dropped;
    } else {
        journal_.append({{"event", "dropped"}, {"share", pending.id}, {"reason", reason}});
    }
    shares_.erase(
        std::find_if(shares_.begin(), shares_.end(), [&](const PendingShare& other) { return &other == &pending; }));
}

void PendingShares::connection_lost(std::uint64_t connection) {
    for (PendingShare& pending : shares_) {
        if (pending.sent_on != connection || !pending.request) continue;
        pending.request.reset();
        pending.again = true;
    }
}

std::optional<SteadyTime> PendingShares::last_sent(std::uint64_t connection) const {
    std::optional<SteadyTime> last;
    for (const PendingShare& pending : shares_) {
        if (pending.sent_on == connection && pending.request)
            last = std::max(last.value_or(pending.sent), pending.sent);
    }
    return last;
}

std::size_t PendingShares::lately_sent(std::uint64_t connection, SteadyTime since) const {
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(), [&](const PendingShare& pending) {
        return pending.sent_on == connection && pending.request && pending.sent > since;
    }));
}

std::size_t PendingShares::repeated(std::uint64_t connection, SteadyTime since) const {
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(), [&](const PendingShare& pending) {
        return pending.sent_on == connection && pending.request && pending.origin.connection != connection &&
               pending.sent > since;
    }));
}

std::size_t PendingShares::in_flight(std::uint64_t connection) const {
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(), [&](const PendingShare& pending) {
        return pending.sent_on == connection && pending.request.has_value();
    }));
}

}  // namespace gpuminer::net
