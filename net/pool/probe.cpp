#include "net/pool/probe.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "net/pool/connection.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/session.hpp"
#include "net/sv2/secured_session.hpp"
#include "net/transport/connection.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/tls.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

/// One connection, and one session on it.
class Attempt {
public:
    Attempt(const PoolProbe& probe, bool extensions, std::chrono::milliseconds limit) : probe_(probe), limit_(loop_) {
        if (probe.url.stratum_v2) {
            make_v2_session(extensions);
        } else {
            make_v1_session(extensions);
        }
        limit_.start(limit, [this] { time_is_up(); });
    }

    /// The reason why not; empty: the facts are there.
    std::string run() {
        ConnectionEvents events;
        events.accepted = [] {};
        events.connected = [this] {
            sent_ = steady_now();
            take(session_->start(*sent_));
        };
        events.received = [this](std::string_view bytes) { receive(bytes); };
        events.closed = [this](const std::string& sentence) {
            turned_away_ = sent_ && !logged_in_;
            end(sentence);
        };
        transport_ = make_connection(loop_, probe_.url, probe_.proxy, probe_.tls, std::move(events));
        loop_.run();
        return failure_;
    }
    [[nodiscard]] const PoolFacts& facts() const { return facts_; }
    /// The server does not take what the session asked for; fewer extensions may do.
    [[nodiscard]] bool was_turned_away() const { return turned_away_; }

private:
    void make_v1_session(bool extensions) {
        StratumOptions options;
        options.dialect = &dialect_of(*probe_.algorithm);
        options.user = probe_.user;
        options.password = probe_.password;
        options.agent = probe_.agent;
        options.configure = options.extranonce_subscribe = extensions;
        auto session = std::make_unique<StratumSession>(std::move(options));
        v1_ = session.get();
        session_ = std::move(session);
    }

    void make_v2_session(bool standard_jobs) {
        sv2::Options options;
        options.user = probe_.user;
        options.agent = probe_.agent;
        options.host = probe_.url.host;
        options.port = probe_.url.port;
        options.hash_rate = [rate = probe_.advertised_rate.value_or(0)] { return rate; };
        options.standard_jobs = standard_jobs;
        auto session = std::make_unique<sv2::SecuredSession>(
            std::move(options),
            sv2::Security{.authority = probe_.url.authority, .wall_clock = std::chrono::system_clock::now});
        v2_ = session.get();
        session_ = std::move(session);
    }

    void receive(std::string_view bytes) {
        const SteadyTime now = steady_now();  // before what the handshake takes to compute
        received_ += bytes;
        while (!over_) {
            auto events = session_->next(received_, now);
            if (!events) return;
            if (!std::exchange(heard_, true))
                facts_.latency_ms = std::chrono::duration<double, std::milli>(now - *sent_).count();
            if (v2_ != nullptr && v2_->plain().is_set_up()) take_v2_setup();
            take(std::move(*events));
        }
    }

    void take_v2_setup() {
        facts_.version_bits = v2_->plain().rolls_versions() ? kBip323Mask : 0;
        facts_.certificate = *v2_->certificate();
        if (probe_.user.empty()) end("");
    }

    void take(StratumEvents events) {
        for (StratumEvent& any : events) {
            if (over_) return;
            std::visit(Overloaded{
                           [&](Send& event) { transport_->send(std::move(event.bytes)); },
                           [&](const Subscribed& event) { take_subscription(event.subscription); },
                           [&](const LoggedIn&) { logged_in_ = true; },
                           [&](const NewJob& event) {
                               if (!event.job) return;
                               facts_.difficulty = event.job->difficulty();
                               if (logged_in_) end("");
                           },
                           [&](const LoginRefused& event) { end(event.sentence); },
                           [&](const ProtocolViolation& event) {
                               turned_away_ = event.of_extensions;
                               end(event.sentence);
                           },
                           [](const auto&) {},
                       },
                       any);
        }
        if (logged_in_ && facts_.difficulty) end("");
    }

    void take_subscription(const Subscription& subscription) {
        facts_.extranonce1 = static_cast<unsigned>(subscription.extranonce1.size() / 2);
        facts_.extranonce2 = subscription.extranonce2_size;
        if (v1_ == nullptr) return;
        facts_.version_bits = v1_->version_mask();
        if (probe_.user.empty()) end("");
    }

    void time_is_up() {
        if (logged_in_) return end("");
        end(sent_ ? fmt::format("it has accepted the connection, and does not answer in time; does that port speak {}?",
                                probe_.url.stratum_v2 ? "Stratum V2, or V1" : "Stratum V1, or V2, or TLS")
                  : "no connection in time");
    }

    void end(const std::string& failure) {
        if (std::exchange(over_, true)) return;
        failure_ = failure;
        if (transport_) take_leave();
        loop_.stop();
    }

    void take_leave() {
        if (std::string bytes = farewell_of(*session_); !bytes.empty()) transport_->send(std::move(bytes));
        transport_->close();
    }

    const PoolProbe& probe_;
    EventLoop loop_;
    Timer limit_;
    std::unique_ptr<PoolSession> session_;
    const StratumSession* v1_ = nullptr;  // one of the two is session_
    const sv2::SecuredSession* v2_ = nullptr;
    std::string received_;
    std::optional<SteadyTime> sent_;  // empty: not connected yet
    PoolFacts facts_;
    std::string failure_;
    bool heard_ = false, logged_in_ = false, turned_away_ = false, over_ = false;
    std::unique_ptr<Connection> transport_;
};

}  // namespace

PoolFacts probe_pool(PoolProbe probe) {
    read_ca_file(probe.tls);
    const SteadyTime begin = steady_now();
    std::string failure;
    for (const bool extensions : {true, false}) {
        const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(steady_now() - begin);
        Attempt attempt(probe, extensions, probe.limit - spent);
        failure = attempt.run();
        if (failure.empty()) return attempt.facts();
        if (!attempt.was_turned_away()) break;
    }
    const bool names_it = failure.find(host_and_port(probe.url.host, probe.url.port)) != std::string::npos;
    throw NetworkError(names_it ? failure : fmt::format("{}: {}", probe.url.text, failure));
}

}  // namespace gpuminer::net
