// A whole conversation of an encrypted Stratum V2 session, from the login to another target; and recordings of such.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/text/text.hpp"
#include "net/noise/authority_key.hpp"
#include "net/sv2/secured_session.hpp"
#include "tests/catch.hpp"
#include "tests/net/noise/noise_data.hpp"
#include "tests/net/sv2/sv2_tools.hpp"

namespace gpuminer::test {

inline std::chrono::system_clock::time_point at(std::int64_t seconds_since_1970) {
    return std::chrono::system_clock::time_point(seconds(seconds_since_1970));
}
inline std::string hex_text(const std::string& bytes) { return to_hex(Bytes(bytes.begin(), bytes.end())); }

/// A file in tests/data/sv2, in the order of its lines: "authority KEY", "clock SECONDS", "jobs KIND" (what we say to
/// understand: "standard" ones alone, or "extended" ones too), "draw HEX" (each random draw of ours), "client HEX" and
/// "server HEX" (what was sent). Lines with # are comments.
struct Recording {
    struct Line {
        bool ours = false;
        std::string bytes;
    };
    std::string authority;
    std::int64_t clock = 0;
    bool standard_jobs = true;
    std::vector<std::string> draws;
    std::vector<Line> lines;

    static Recording read(const std::string& name) {
        std::ifstream file("tests/data/sv2/" + name);
        if (!file)
            throw std::runtime_error("cannot read tests/data/sv2/" + name + "; run the tests in the root folder");
        Recording read;
        for (std::string line; std::getline(file, line);) {
            std::istringstream fields(line);
            std::string kind, value;
            if (!(fields >> kind >> value) || kind == "#") continue;
            if (kind == "authority") read.authority = value;
            if (kind == "clock") read.clock = std::stoll(value);
            if (kind == "jobs") read.standard_jobs = value == "standard";
            if (kind == "draw") read.draws.push_back(value);
            if (kind == "client" || kind == "server") read.lines.push_back({kind == "client", text_from_hex(value)});
        }
        return read;
    }
    void write(std::ostream& file) const {
        file << "authority " << authority << "\nclock " << clock << "\njobs "
             << (standard_jobs ? "standard" : "extended") << '\n';
        for (const std::string& draw : draws) file << "draw " << draw << '\n';
        for (const Line& line : lines) file << (line.ours ? "client " : "server ") << hex_text(line.bytes) << '\n';
    }
};

/// The other side, as a session's owner sees it.
struct Wire {
    std::function<void(const std::string&)> send;
    std::function<std::string()> receive;  ///< empty: there will be no more
};

/// A recording's server. What the client sends is compared with the recording, byte for byte.
class Replay {
public:
    /// `piece`: bytes of the server's that come at a time.
    explicit Replay(Recording recording, std::size_t piece = std::string::npos)
        : recording_(std::move(recording)), piece_(piece) {}

    [[nodiscard]] Wire wire() {
        return {[this](const std::string& bytes) { compare(bytes); }, [this] { return next_piece(); }};
    }
    [[nodiscard]] bool over() const { return next_ == recording_.lines.size(); }

private:
    void compare(const std::string& bytes) {
        REQUIRE(next_ < recording_.lines.size());
        const Recording::Line& line = recording_.lines[next_++];
        REQUIRE(line.ours);
        CHECK(hex_text(bytes) == hex_text(line.bytes));
    }
    std::string next_piece() {
        if (over() || recording_.lines[next_].ours) return "";
        std::string& rest = recording_.lines[next_].bytes;
        std::string piece = rest.substr(0, piece_);
        rest.erase(0, piece.size());
        if (rest.empty()) ++next_;
        return piece;
    }

    Recording recording_;
    const std::size_t piece_;
    std::size_t next_ = 0;
};

/// Login, work, a share and its answer, and another difficulty that is asked for and given; or as far as it comes.
struct Conversation {
    Conversation(Wire other_side, sv2::Security security, bool standard_jobs)
        : wire(std::move(other_side)), session(recorded_options(standard_jobs), std::move(security)) {}

    static constexpr double kDifficulty = 1e-7, kSecondDifficulty = 2e-7;  // at first every 430th hash is a share
    static sv2::Options recorded_options(bool standard_jobs) {
        sv2::Options options = Sv2Talk::options();
        options.standard_jobs = standard_jobs;
        options.suggest_difficulty = kDifficulty;
        return options;
    }

    void have() {
        take(session.start(now));
        hear_until([this] { return session.current_job() != nullptr; });
        if (!session.current_job()) return;
        submit();
        hear_until([this] { return !record.replies.empty(); });
        take(session.set_suggested_difficulty(kSecondDifficulty, now, true));
        hear_until([this] { return record.difficulties.size() > 1; });
    }

    void take(const StratumEvents& events) {
        record.add(events);
        for (const StratumEvent& event : events) {
            if (const auto* const sent = std::get_if<Send>(&event)) wire.send(sent->bytes);
        }
    }
    void hear(const std::string& bytes) {
        received += bytes;
        while (record.errors.empty()) {
            const auto events = session.next(received, now);
            if (!events) return;
            take(*events);
        }
    }
    template <typename Condition>
    void hear_until(const Condition& condition) {
        while (record.errors.empty() && !condition()) {
            const std::string piece = wire.receive();
            if (piece.empty()) return;
            hear(piece);
        }
    }
    /// The first nonce that is a share's.
    void submit() {
        const auto job = session.current_job();
        std::uint32_t nonce = 0;
        while (share_of(job, nonce).hash > job->target()) ++nonce;
        share = share_of(job, nonce);
        request = session.submit(*share, now);
        REQUIRE(request.has_value());
        wire.send(request->bytes);
    }

    Wire wire;
    Sv2Record record;
    SteadyTime now{std::chrono::hours(1)};
    sv2::SecuredSession session;
    std::string received;
    std::optional<StratumShare> share;
    std::optional<SubmitRequest> request;
};

}  // namespace gpuminer::test
