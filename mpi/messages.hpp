// What ranks tell each other, as bytes (CBOR, RFC 8949).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/notices.hpp"
#include "host/search/partition.hpp"
#include "host/search/search_record.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer::mpi {

/// From a rank to rank 0: what is new.
struct RankNews {
    IntervalSet done;    ///< positions completed
    IntervalSet undone;  ///< told as done before, by a device that is not trusted any more
    std::vector<RecordedHit> hits;
    std::vector<Interval> given_back;  ///< taken, and not done as no device is left
    std::vector<Notice> notices;
    std::uint64_t hashes = 0;     ///< so far
    std::optional<Hash256> best;  ///< as SearchReport::best, so far
    std::uint64_t wants = 0;      ///< positions; the common cursor is at its end, and the rank has nothing to do
    bool looks_on = false;        ///< it has no device
    std::string no_device;        ///< why it has never had one
    bool told_to_stop = false;    ///< a signal has come
    bool last = false;            ///< it has stopped, and nothing follows
};

/// From rank 0 to a rank; what is not set stays as it was.
struct RankOrders {
    std::optional<UnitKey> bound;  ///< units after it need not be searched
    std::vector<Interval> work;    ///< to be done, as others gave it back
    std::optional<bool> paused;
    unsigned ranks_at_work = 0;  ///< 0: as before
    bool over = false;           ///< stop, and send the report
};

/// From a rank to rank 0, at the end.
struct RankReport {
    unsigned rank = 0;
    std::string host;
    SearchReport search;  ///< without hits
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

    [[nodiscard]] std::uint64_t positions() const;  ///< in all: done ones, too
};
[[nodiscard]] std::string to_bytes(const RankStart& start);
[[nodiscard]] RankStart start_of(std::string_view bytes);

}  // namespace gpuminer::mpi
