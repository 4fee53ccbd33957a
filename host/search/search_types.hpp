// Types of a search: request, record, result, reports of devices and progress.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/search/interval_set.hpp"

namespace gpuminer {

enum class PartitionMode { kStatic, kDynamic };

enum class Goal {
    kFirst,   ///< stop at the first hit of any device
    kLowest,  ///< the lowest version value, then the lowest nonce, whatever the number of devices
    kAll,     ///< every hit of the space, ascending; the lowest `max_results` of them where there are more
};

struct SearchRequest {
    BlockHeader header;              ///< its nonce is ignored
    Hash256 target;                  ///< display order
    std::uint32_t start = 0;         ///< first nonce
    std::uint32_t end = 0xffffffff;  ///< last nonce, inclusive; >= start
    std::uint32_t version_mask = 0;  ///< version bits to roll (BIP 323: within 0x1fffffe0); 0: none
    PartitionMode partition = PartitionMode::kDynamic;
    Goal goal = Goal::kFirst;
    std::uint64_t max_results = 1'000'000;  ///< for Goal::kAll
};

/// A solved header, confirmed by the checker.
struct Hit {
    std::uint32_t version = 0;
    std::uint32_t nonce = 0;
    Hash256 hash;
    BlockHeader header;
};

enum class Ending {
    kFinished,     ///< the goal is reached or the whole space is searched
    kLimit,        ///< stopped by a limit with work unfinished
    kInterrupted,  ///< stopped by a signal
    kFailed,       ///< devices failed and none was left to finish their work
};

struct DeviceReport {
    DeviceInfo info;
    std::uint64_t hashes = 0;  ///< really hashed by it
    double seconds = 0;        ///< steady_clock time spent inside scan()
    CycleStats cycles;
    std::uint32_t start = 0;  ///< its piece (static) or the whole range (dynamic), inclusive; start > end: it got no
    std::uint32_t end = 0;    ///< piece, as there were more devices than nonces or the search ended before the cut
    std::uint64_t wrong_candidates = 0;
    std::string failure;                ///< why it was quarantined; empty: it was not
    std::optional<unsigned> rank = {};  ///< of the process that has it, where there are several (MPI)
};

/// One process of a search over several (MPI).
struct RankSummary {
    unsigned rank = 0;
    std::string host;
    std::uint64_t devices = 0;
    std::uint64_t hashes = 0;
    double seconds = 0;  ///< steady_clock, of its part in the search
};

/// Reasons to pause a device or the search; work resumes once none is left.
enum class PauseReason : unsigned { kUser = 1, kTemperature = 2, kBattery = 4 };

/// A device while a search runs.
struct DeviceStatus {
    DeviceReport report;           ///< so far
    bool paused_by_user = false;   ///< PauseReason::kUser
    bool paused_for_heat = false;  ///< PauseReason::kTemperature
};

struct SearchReport {
    Ending ending = Ending::kFinished;
    std::vector<Hit> hits;   ///< ascending by version, then nonce
    bool truncated = false;  ///< kAll found more than max_results
    /// The lowest hash that a device returned, below a target or not. Empty: none had enough zero bits for a candidate.
    std::optional<Hash256> best;
    std::uint64_t hashes = 0;
    std::uint64_t hashes_before = 0;  ///< by earlier searches from whose record this one went on; not in `hashes`
    double seconds = 0;               ///< steady_clock, from the start to the last device's end
    std::uint64_t rejected_candidates = 0;
    double counter_hz = 0;              ///< frequency of the cycle counter over this search; 0: none
    std::optional<double> input_wait;   ///< seconds until standard input was read, before the start; empty: it was not
    std::vector<DeviceReport> devices;  ///< those that took part, in the order in which they are listed
    std::vector<RankSummary> ranks;     ///< where there are several processes
};

struct SearchProgress {
    std::uint64_t hashes_done = 0;
    std::uint64_t hashes_before = 0;  ///< as SearchReport::hashes_before
    std::uint64_t hashes_total = 0;   ///< nonces × versions; saturates at 2^64-1
    bool endless = false;             ///< jobs as they come: there is no total
    double seconds = 0;
    bool paused = false;          ///< by the user, or as follows
    bool on_battery = false;      ///< and paused for that
    bool devices_paused = false;  ///< every device is, by itself
    bool waiting = false;         ///< for devices: none is at work yet, or one has to be ready before the range is cut
    std::optional<Hash256> best;  ///< as SearchReport::best, so far
};

/// A hit: one (version, nonce) pair of the search space.
struct HitKey {
    std::uint32_t version = 0;
    std::uint32_t nonce = 0;

    friend auto operator<=>(const HitKey&, const HitKey&) = default;
};

/// A search's progress, in a form from which another search can resume. The hits of all that is done are among
/// `hits`, whatever the goal of the search was.
struct SearchRecord {
    /// Versions that are searched together: a power of two. 0: nothing is done, and the goal decides.
    std::uint32_t group_size = 0;
    /// Positions of nonces, for all versions of a group: group × nonces of the range + nonce − first nonce.
    IntervalSet done;
    std::vector<HitKey> hits;  ///< in the order in which they were found, each once

    friend bool operator==(const SearchRecord&, const SearchRecord&) = default;
};

}  // namespace gpuminer
