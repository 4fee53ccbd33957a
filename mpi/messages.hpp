// Messages between ranks (CBOR, RFC 8949).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/notices.hpp"
#include "host/search/search_types.hpp"
#include "host/search/work_account.hpp"
#include "host/search/work_unit.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer::mpi {

/// JSON as the bytes of a message.
[[nodiscard]] std::string to_cbor(const nlohmann::json& json);
/// The same of one whose names keep their order.
[[nodiscard]] std::string ordered_to_cbor(const nlohmann::ordered_json& json);

/// From a rank to rank 0: what is new.
struct RankNews {
    DoneWork work;
    std::vector<HitKey> hits;
    std::vector<Interval> given_back;  ///< taken, and not done as no device is left
    std::vector<Notice> notices;
    std::uint64_t hashes = 0;     ///< so far
    std::optional<Hash256> best;  ///< as SearchReport::best, so far
    std::uint64_t wants = 0;      ///< positions; the common cursor is at its end, and the rank has nothing to do
    double rate = 0;              ///< positions a second, measured for long enough to cut by it; 0: not yet
    bool looks_on = false;        ///< it has no device
    bool said_before = false;     ///< in an earlier search of the job
    std::string no_device;        ///< why it has never had one
    int stop_signal = 0;          ///< SIGINT or SIGTERM, which has come; 0: none
    bool last = false;            ///< it has stopped, and nothing follows
    std::string report;           ///< with the last: a RankReport, as bytes
};

/// From rank 0 to a rank; what is not set stays as it was.
struct RankOrders {
    std::optional<UnitKey> bound;   ///< units after it need not be searched
    std::vector<Interval> work;     ///< to be done, as others gave it back
    std::optional<Interval> piece;  ///< the rank's own of what is left (static), in RemainingWork's numbers
    std::optional<bool> paused;
    unsigned ranks_at_work = 0;  ///< 0: as before
    bool over = false;           ///< stop, and send the report
};

/// From a rank to rank 0, at the end.
struct RankReport {
    unsigned rank = 0;
    std::string host;
    SearchReport search;            ///< without hits
    bool first_of_machine = false;  ///< whose sensors tell of the machine's CPUs, too
    SensorReport sensors;
};

[[nodiscard]] std::string to_bytes(const RankNews& news);
[[nodiscard]] std::string to_bytes(const RankOrders& orders);
[[nodiscard]] std::string to_bytes(const RankReport& report);
// And back. A rank is trusted to be one of ours: what is no such message throws std::exception.
[[nodiscard]] RankNews news_of(std::string_view bytes);
[[nodiscard]] RankOrders orders_of(std::string_view bytes);
[[nodiscard]] RankReport report_of(std::string_view bytes);

/// What all ranks have to know before they begin.
struct RankStart {
    SearchRequest request;
    SearchRecord record;  ///< what is done, without hits
    std::optional<UnitKey> bound;

    [[nodiscard]] WorkSpace space() const;
};
[[nodiscard]] std::string to_bytes(const RankStart& start);
[[nodiscard]] RankStart start_of(std::string_view bytes, const Algorithm& algorithm = kSha256d);

}  // namespace gpuminer::mpi
