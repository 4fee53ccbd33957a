// Events of a session with a pool, as values: the functions of PoolSession return them, in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "net/stratum/share.hpp"

namespace gpuminer::net {

class StratumJob;

/// What a pool gave in reply to mining.subscribe.
struct Subscription {
    std::string session;      ///< the id to resume it with; empty: the pool gave none
    std::string extranonce1;  ///< hex
    unsigned extranonce2_size = 0;
    bool resumed = false;  ///< same extranonce1 as before: unanswered shares of before still belong to it
};

/// To be sent to the pool.
struct Send {
    std::string bytes;
};
/// A session begins; comes before LoggedIn.
struct Subscribed {
    Subscription subscription;
};
/// The pool took the login: shares can be submitted from now on.
struct LoggedIn {};
/// The pool refused the subscription or the login. The last event of the session.
struct LoginRefused {
    std::string sentence;
};
/// To be searched from now on (maybe before LoggedIn). Shares of older jobs count until one is clean(). The current job
/// again: it has headers again.
struct NewJob {
    std::shared_ptr<const StratumJob> job;  ///< null: there is nothing to be searched for now
};
/// Of jobs from the next one on.
struct DifficultyChanged {
    double difficulty = 0;  ///< positive and finite
};
/// The reply to a share; may come at any time, also never. At most one for each request.
struct ShareReplied {
    std::uint64_t request = 0;  ///< SubmitRequest::id
    ShareReply reply;
};
/// The pool asks for another connection (client.reconnect), not before `wait` has passed.
struct ReconnectRequested {
    std::string host;              ///< empty: the same as now; else the characters of a name or an address
    std::uint16_t port = 0;        ///< 0: the same as now
    std::chrono::seconds wait{0};  ///< 0 to 3600
};
/// A text of the pool's operator for the user (client.show_message).
struct OperatorMessage {
    std::string text;  ///< printable
};
/// Something that the pool sent was ignored; ten a session at most.
struct Warning {
    std::string sentence;
};
/// What the pool sent, or did not send in time, makes the connection useless. The last event of the session.
struct ProtocolViolation {
    std::string sentence;
};

using StratumEvent = std::variant<Send, Subscribed, LoggedIn, LoginRefused, NewJob, DifficultyChanged, ShareReplied,
                                  ReconnectRequested, OperatorMessage, Warning, ProtocolViolation>;
using StratumEvents = std::vector<StratumEvent>;

}  // namespace gpuminer::net
