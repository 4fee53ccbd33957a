// One search: a header, a target and a space of (version, nonce) pairs, scanned by any number of devices,
// every candidate hashed again by the checker.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/notices.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

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
