// Alert conditions: blocks, records, stalls, failing devices, heat.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "net/transport/own_address.hpp"
#include "net/work_client.hpp"
#include "web/run_observer.hpp"

namespace gpuminer::web {

struct Alert {
    enum class Kind { kBlock, kBest, kStall, kDeviceError, kHot };
    Kind kind{};
    std::string text;                                        ///< a sentence
    std::vector<std::pair<std::string, std::string>> facts;  ///< names in lower case, "hash"; texts of one line
};

/// "block", "best", "stall", "device-error", "hot"
[[nodiscard]] const char* name_of(Alert::Kind kind);

/// {"event", "text", "host", facts …}, and the sentence once more under the names that chats want it by.
[[nodiscard]] std::string alert_json(const Alert& alert, const std::string& host = net::host_name());

/// Not thread-safe.
class AlertWatch {
public:
    /// `best`: the best difficulty of earlier runs; 0: there were none.
    AlertWatch(bool has_server, double best) : has_server_(has_server), best_(best) {}

    /// The moments of a run, about a second apart. `seconds`: on a steady clock. Of a standstill once, until it is
    /// over.
    [[nodiscard]] std::vector<Alert> observe(const RunSample& sample, double seconds);
    [[nodiscard]] static std::optional<Alert> answered(const net::AnsweredFind& find);
    [[nodiscard]] static Alert hot(const HotDevice& paused);

private:
    void look_for_stall(const RunSample& sample, double seconds, std::vector<Alert>& alerts);
    void look_for_failures(const RunSample& sample, std::vector<Alert>& alerts);
    void look_for_best(const RunSample& sample, double seconds, std::vector<Alert>& alerts);

    const bool has_server_;
    double best_;
    std::optional<double> started_, best_told_at_;  // seconds
    std::uint64_t hashes_ = 0;
    double hashed_at_ = 0, connected_at_ = 0;  // seconds
    bool stalled_ = false, disconnected_ = false;
    std::set<std::string> failed_;  // devices
};

}  // namespace gpuminer::web
