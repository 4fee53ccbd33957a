#include "net/pool/pending_shares.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kMostWaiting = 10'000;

std::int64_t unix_milliseconds() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}
double unix_seconds() { return static_cast<double>(unix_milliseconds()) / 1000; }

std::string hex8(std::uint32_t value) { return fmt::format("{:08x}", value); }

std::uint32_t from_hex8(const json& entry, const char* name) {
    return static_cast<std::uint32_t>(std::stoul(entry.at(name).get<std::string>(), nullptr, 16));
}

json share_entry(const BookedShare& booked, const std::string& pool, const std::string& user,
                 const Subscription& session, const std::string& header_hex) {
    const StratumShare& share = booked.share;
    json entry{{"event", "share"},
               {"id", booked.id},
               {"time", unix_seconds()},
               {"pool", pool},
               {"user", user},
               {"session", session.session},
               {"extranonce1", share.extranonce1},
               {"job", share.job_id},
               {"extranonce2", share.extranonce2},
               {"ntime", hex8(share.time)},
               {"nonce", hex8(share.nonce)},
               {"header", header_hex},
               {"hash", share.hash.hex()},
               {"difficulty", share.difficulty},
               {"block", share.solves_block}};
    if (share.version_bits != 0) entry["version_bits"] = hex8(share.version_bits);
    return entry;
}

StratumShare share_from(const json& entry) {
    StratumShare share;
    share.job_id = entry.at("job").get<std::string>();
    share.extranonce1 = entry.at("extranonce1").get<std::string>();
    share.extranonce2 = entry.at("extranonce2").get<std::string>();
    share.time = from_hex8(entry, "ntime");
    share.nonce = from_hex8(entry, "nonce");
    if (entry.contains("version_bits")) share.version_bits = from_hex8(entry, "version_bits");
    share.hash = target_from_hex(entry.at("hash").get<std::string>());
    share.difficulty = entry.at("difficulty").get<double>();
    share.solves_block = entry.at("block").get<bool>();
    return share;
}

bool fits(const StratumShare& share, const Subscription& session) {
    return share.extranonce1 == session.extranonce1 &&
           share.extranonce2.size() == std::size_t{2} * session.extranonce2_size;
}

}  // namespace

std::string canonical_url(const Endpoint& url) {
    return fmt::format("{}{}", url.tls ? "stratum+ssl://" : "stratum+tcp://", host_and_port(url.host, url.port));
}

PendingShares::PendingShares(Journal& journal, const std::vector<PoolLogin>& pools,
                             std::function<void(std::string)> complain)
    : journal_(journal), complain_(std::move(complain)), run_(fmt::format("{:x}", unix_milliseconds())) {
    for (const PoolLogin& login : pools) pools_.push_back({canonical_url(login.url), login.user, {}});
    recover(journal.earlier());
    journal.forget_earlier();
}

void PendingShares::recover(const std::vector<json>& entries) {
    std::map<std::string, std::list<BookedShare>::iterator> unanswered;
    for (const json& entry : entries) {
        try {  // the file may have been edited
            const std::string event = entry.at("event").get<std::string>();
            if (event == "reply" || event == "dropped") {
                const auto share = unanswered.find(entry.at("share").get<std::string>());
                if (share == unanswered.end()) continue;
                shares_.erase(share->second);
                unanswered.erase(share);
            } else if (event == "share" || event == "session") {
                const auto pool = std::find_if(pools_.begin(), pools_.end(), [&](const Pool& p) {
                    return p.name == entry.at("pool").get<std::string>() &&
                           p.user == entry.at("user").get<std::string>();
                });
                if (pool == pools_.end()) continue;
                if (event == "session") {
                    pool->session = {entry.at("session").get<std::string>(), entry.at("extranonce1").get<std::string>(),
                                     entry.at("extranonce2_size").get<unsigned>()};
                    continue;
                }
                BookedShare booked;
                booked.id = entry.at("id").get<std::string>();
                booked.pool = static_cast<std::size_t>(pool - pools_.begin());
                booked.share = share_from(entry);
                booked.again = true;
                if (unanswered.count(booked.id) != 0) continue;
                unanswered.emplace(booked.id, shares_.insert(shares_.end(), booked));
            }
        } catch (const std::exception&) {
            continue;
        }
    }
    // A session is worth resuming only for the sake of shares.
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (unsent(i).empty()) pools_[i].session = {};
    }
}

void PendingShares::write(const json& entry) {
    try {
        journal_.append(entry);
    } catch (const std::exception& error) {  // the disk, or a user name that is not UTF-8
        const SteadyTime now = std::chrono::steady_clock::now();
        if (complained_ != SteadyTime{} && now - complained_ < std::chrono::minutes(1)) return;
        complained_ = now;
        complain_(fmt::format("{}; shares are sent all the same, but would not outlive a crash", error.what()));
    }
}

void PendingShares::subscribed(std::size_t pool, const Subscription& subscription) {
    Pool& record = pools_[pool];
    record.session = subscription;
    write({{"event", "session"},
           {"time", unix_seconds()},
           {"pool", record.name},
           {"user", record.user},
           {"session", subscription.session},
           {"extranonce1", subscription.extranonce1},
           {"extranonce2_size", subscription.extranonce2_size}});
    for (BookedShare* booked : unsent(pool)) {
        if (booked->share.solves_block || fits(booked->share, subscription)) continue;
        drop(*booked, "the pool did not resume the session");
    }
}

BookedShare& PendingShares::add(std::size_t pool, std::uint64_t connection, StratumShare share,
                                const std::string& header_hex) {
    if (shares_.size() >= kMostWaiting) {
        const auto oldest =
            std::find_if(shares_.begin(), shares_.end(), [](const BookedShare& b) { return !b.share.solves_block; });
        if (oldest != shares_.end()) drop(*oldest, "too many shares wait for an answer");
    }
    BookedShare booked;
    booked.id = fmt::format("{}-{}", run_, ++counter_);
    booked.pool = pool;
    booked.connection = connection;
    booked.share = std::move(share);
    write(share_entry(booked, pools_[pool].name, pools_[pool].user, pools_[pool].session, header_hex));
    return shares_.emplace_back(std::move(booked));
}

std::vector<BookedShare*> PendingShares::unsent(std::size_t pool) {
    std::vector<BookedShare*> list;
    for (BookedShare& booked : shares_) {
        if (booked.pool == pool && !booked.request) list.push_back(&booked);
    }
    return list;
}

void PendingShares::sent(BookedShare& share, std::uint64_t connection, std::uint64_t request, SteadyTime now) {
    if (share.again) ++resent_;
    share.request = request;
    share.sent_on = connection;
    share.sent = now;
}

std::optional<AnsweredShare> PendingShares::answered(std::uint64_t connection, std::uint64_t request,
                                                     const ShareReply& answer, SteadyTime now) {
    const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const BookedShare& booked) {
        return booked.sent_on == connection && booked.request == request;
    });
    if (found == shares_.end()) return std::nullopt;
    AnsweredShare answered;
    answered.share = std::move(*found);
    shares_.erase(found);
    // The pool had it from the first time.
    answered.accepted = answer.accepted || (answer.duplicate && answered.share.again);
    answered.latency_ms = std::chrono::duration<double, std::milli>(now - answered.share.sent).count();
    write({{"event", "reply"},
           {"share", answered.share.id},
           {"accepted", answered.accepted},
           {"reason", answer.reason},
           {"latency_ms", answered.latency_ms}});
    return answered;
}

void PendingShares::drop(const BookedShare& share, const std::string& reason) {
    write({{"event", "dropped"}, {"share", share.id}, {"reason", reason}});
    shares_.remove_if([&](const BookedShare& booked) { return &booked == &share; });
}

void PendingShares::connection_lost(std::uint64_t connection) {
    for (BookedShare& booked : shares_) {
        if (booked.sent_on != connection || !booked.request) continue;
        booked.request.reset();
        booked.again = true;
    }
}

std::optional<SteadyTime> PendingShares::last_sent(std::uint64_t connection) const {
    std::optional<SteadyTime> last;
    for (const BookedShare& booked : shares_) {
        if (booked.sent_on == connection && booked.request) last = std::max(last.value_or(booked.sent), booked.sent);
    }
    return last;
}

std::size_t PendingShares::repeated(std::uint64_t connection, SteadyTime since) const {
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(), [&](const BookedShare& booked) {
        return booked.sent_on == connection && booked.request && booked.connection != connection && booked.sent > since;
    }));
}

std::size_t PendingShares::under_way(std::uint64_t connection) const {
    return static_cast<std::size_t>(std::count_if(shares_.begin(), shares_.end(), [&](const BookedShare& booked) {
        return booked.sent_on == connection && booked.request.has_value();
    }));
}

}  // namespace gpuminer::net
