// One search: a header, a target and a space of (version, nonce) pairs, scanned by any number of devices,
// every candidate hashed again by the checker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/notices.hpp"

namespace gpuminer {

enum class PartitionMode { kStatic, kDynamic };

enum class Goal {
    kFirst,   ///< stop at the first hit anybody finds
    kLowest,  ///< the lowest version value, then the lowest nonce, whatever the number of devices
    kAll,     ///< every hit of the space, ascending; the lowest `max_results` of them where there are more
};

struct SearchRequest {
    BlockHeader header;              ///< its nonce is ignored
    Hash256 target;                  ///< display order
    std::uint32_t start = 0;         ///< first nonce
    std::uint32_t end = 0xffffffff;  ///< last nonce, inclusive; >= start
    std::uint32_t version_mask = 0;  ///< version bits to roll (BIP 320: within 0x1fffe000); 0: none
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
    kFailed,       ///< devices failed and nobody was left to finish their work
};

struct DeviceReport {
    DeviceInfo info;
    std::uint64_t hashes = 0;  ///< really hashed by it
    double seconds = 0;        ///< steady_clock time spent inside scan()
    CycleStats cycles;
    std::uint32_t start = 0;  ///< its piece (static) or the whole range (dynamic), inclusive; start > end: it got no
    std::uint32_t end = 0;    ///< piece, as there were more devices than nonces or the search ended before the cut
    std::uint64_t wrong_candidates = 0;
    std::string failure;  ///< why it was quarantined; empty: it was not
};

struct SearchReport {
    Ending ending = Ending::kFinished;
    std::vector<Hit> hits;   ///< ascending by version, then nonce
    bool truncated = false;  ///< kAll found more than max_results
    std::uint64_t hashes = 0;
    double seconds = 0;  ///< steady_clock, from the start to the last device's end
    std::uint64_t rejected_candidates = 0;
    double tsc_hz = 0;                  ///< frequency of the cycle counter over this search; 0: none
    std::optional<double> input_wait;   ///< seconds until standard input was read, before the start; empty: it was not
    std::vector<DeviceReport> devices;  ///< those that took part, in the order in which they are listed
};

struct SearchProgress {
    std::uint64_t hashes_done = 0;
    std::uint64_t hashes_total = 0;  ///< nonces × versions; saturates at 2^64-1
    bool endless = false;            ///< jobs as they come: there is no total
    double seconds = 0;
    bool paused = false;
    bool waiting = false;  ///< for devices: none is at work yet, or one has to be ready before the range is cut
};

class Fleet;
class MiningJob;
struct JobHit;

class Search {
public:
    /// With the devices of a fleet, which outlives the search; one search of a fleet runs at a time. Throws
    /// InputError for an empty range.
    Search(const SearchRequest& request, Fleet& fleet);
    /// For the jobs that set_job() names, one after the other, until stop(). `found` is called for every hit, on the
    /// devices' threads, and has to return at once; the report has no hits. Its ending is what stop() was given.
    Search(std::function<void(const JobHit&)> found, Fleet& fleet);
    /// With these devices alone. Throws NoDeviceError where there is none, too.
    Search(const SearchRequest& request, std::vector<std::unique_ptr<Device>> devices);
    ~Search();

    /// Searches, and returns when the goal is reached, the space is searched, stop() was called, or no device is left
    /// and none is expected any more. Devices that become ready join; a device's first search begins with its
    /// self-test. `joined` is called, on this thread, for each device that takes part. To be called once.
    /// Throws NoDeviceError, with all reasons, where no device becomes usable.
    [[nodiscard]] SearchReport run(const std::function<void(const DeviceInfo&)>& joined = {});

    // From any other thread:
    void stop(Ending why);  ///< no next batch; the first reason given stays
    void set_paused(bool paused);
    /// For devices that are faster than they may be: so many hashes more may be done, and with those that are left over
    /// at most `most` (> 0). No batch begins when none is left, and all devices together have no more than `most` (but
    /// a nonce each) under way. True: more than was allowed had begun. Before the first call there is no limit.
    bool allow(double hashes, double most);
    /// From now on this job is searched: no device begins a batch of an older one. Null: nothing is. Hits of older jobs
    /// may still be found, in batches that had begun.
    void set_job(std::shared_ptr<const MiningJob> job);
    /// A paused device gets no next batch (in later searches of its fleet neither). Others go on; where all that are
    /// left are paused, the search waits. Nothing happens for a name that no device has.
    void pause_device(const std::string& device_name, bool paused);
    [[nodiscard]] SearchProgress progress() const;
    /// Messages for the user ("cpu:avx512#1 is quarantined: …") since the last call, of the fleet, too.
    [[nodiscard]] std::vector<Notice> take_notices();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer
