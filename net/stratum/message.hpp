// Stratum V1 messages (JSON-RPC 1.0 with liberties): parsing and writing one line, and a session's output of them. A
// server may send anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"

namespace gpuminer::net {

/// What a server sent makes no sense: the connection is of no use. One plain sentence, printable and short.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a server sent makes sense to who mines another algorithm. A whole sentence.
struct OtherAlgorithmError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Longer lines are refused. (The largest real ones are jobs with a long coinbase: some ten thousand bytes.)
inline constexpr std::size_t kLongestStratumLine = std::size_t{1} << 20;

/// Why a server says no.
struct StratumRefusal {
    std::optional<std::int64_t> code;  ///< 20 other, 21 stale or unknown job, 22 duplicate, 23 low difficulty, 24, 25
    std::string text;                  ///< printable, at most 200 characters; empty: no reason given
    /// "Duplicate share (22)"; "no reason given" where there is none.
    [[nodiscard]] std::string sentence() const;
};

/// A reply to a request of ours, or a request (with an id) or notification (without) of the server's.
struct StratumMessage {
    std::string method;                     ///< empty: a reply
    nlohmann::json params;                  ///< of a request or notification; any type
    nlohmann::json id;                      ///< as sent, to be echoed: a number, a string of at most 64 bytes, or null
    std::optional<std::int64_t> number;     ///< the id as a number: 4, 4.0 and "4" are the same
    nlohmann::json result;                  ///< of a reply
    std::optional<StratumRefusal> refusal;  ///< of a reply: an error, or a result of null or false

    [[nodiscard]] bool is_reply() const { return method.empty(); }
};

/// `line`: bytes without the newline. Throws ProtocolError: too long, too deep, too many values, not JSON, not a
/// message.
[[nodiscard]] StratumMessage parse_stratum_line(std::string_view line);

/// A whole number from JSON: 4, 4.0 or "4". Empty for anything else.
[[nodiscard]] std::optional<std::int64_t> whole_number(const nlohmann::json& value);
/// A number from JSON: 0.5, 5e-1 or "0.5". Empty for anything else and for what is not finite.
[[nodiscard]] std::optional<double> real_number(const nlohmann::json& value);

/// JSON in quotes for a message, as quoted_text() of host/text/text.hpp.
[[nodiscard]] std::string quoted_json(const nlohmann::json& value);

/// "{"id":…,"method":…,"params":…}" without a newline. Text that is not UTF-8 is repaired.
[[nodiscard]] std::string stratum_request(std::uint64_t id, std::string_view method, const nlohmann::json& params);
/// Replies to a request of the server's; `id` is echoed.
[[nodiscard]] std::string stratum_result(const nlohmann::json& id, const nlohmann::json& result);
[[nodiscard]] std::string stratum_error(const nlohmann::json& id, int code, std::string_view text);

/// What a session sends and says, as events.
class StratumOutput {
public:
    /// A function of the session begins.
    void begin(SteadyTime now) { now_ = now; }
    [[nodiscard]] SteadyTime now() const { return now_; }
    /// The events since the last call.
    [[nodiscard]] StratumEvents take();

    void add(StratumEvent event) { events_.push_back(std::move(event)); }
    /// Ten a session at most.
    void warn(std::string sentence);
    // The end of the session: its last event, of which only the first counts.
    void refuse(std::string sentence);
    void fail(std::string sentence, bool of_extensions = false);
    [[nodiscard]] bool over() const { return over_; }

    /// Of the next request.
    [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
    /// The request's line, for the caller to send.
    [[nodiscard]] std::string make_request(std::string_view method, const nlohmann::json& params);
    /// Sends it. Returns its id.
    std::uint64_t request(std::string_view method, const nlohmann::json& params);
    /// When a request was made last, or note_sent() was called.
    [[nodiscard]] SteadyTime last_sent() const { return last_sent_; }
    void note_sent() { last_sent_ = now_; }

private:
    StratumEvents events_;
    SteadyTime now_{};
    bool over_ = false;
    unsigned warnings_ = 0;
    std::uint64_t next_id_ = 1;
    SteadyTime last_sent_{};
};

}  // namespace gpuminer::net
