// The search on one rank: its devices, and the work that the rank has taken for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/fleet.hpp"
#include "host/search/request_source.hpp"
#include "host/search/search.hpp"

namespace gpuminer::mpi {

/// The devices of a rank, for one search after another.
class RankDevices {
public:
    /// Where `open` throws NoDeviceError there are none.
    explicit RankDevices(const std::function<std::unique_ptr<Fleet>()>& open);

    std::unique_ptr<Fleet> fleet;  ///< null: there are none
    std::string no_device;         ///< why
    bool look_on = false;          ///< a search has found none left
    Notices notices;               ///< of those who watch them; goes to rank 0 with the search's own
};

class RankSearch {
public:
    /// Searches on a thread of its own until stop(): what the partition is fed. Without devices there is no search: the
    /// rank looks on. `group_size`: versions of a group. `joined`: called for each device, on that thread, and perhaps
    /// before this constructor returns; with search().
    RankSearch(const SearchRequest& request, std::uint32_t group_size, RankDevices& devices,
               std::function<void(const DeviceInfo&, Search&)> joined = {});
    /// Stops.
    ~RankSearch();
    RankSearch(const RankSearch&) = delete;
    RankSearch& operator=(const RankSearch&) = delete;

    /// Whether a device has joined: one may take its time to open, or to fail.
    [[nodiscard]] bool has_had_a_device() const { return joined_one_; }
    /// Whether no device is left, and none will come.
    [[nodiscard]] bool without_devices() const;
    /// Why there was none from the beginning; empty: there was.
    [[nodiscard]] const std::string& no_device() const { return devices_.no_device; }
    /// To be called once there are none. Whether an earlier search has told so.
    [[nodiscard]] bool looked_on_before() { return std::exchange(devices_.look_on, true); }

    [[nodiscard]] Partition& partition() { return source_->partition(); }
    [[nodiscard]] Search* search() { return search_ ? &*search_ : nullptr; }
    /// Those found since the last call.
    [[nodiscard]] std::vector<HitKey> new_hits();
    [[nodiscard]] std::uint64_t hashes() const;
    /// Throws what the search has ended with, if that is no lack of devices.
    [[nodiscard]] std::vector<Notice> take_notices();

    /// No next batch. Returns the report once the devices have ended.
    [[nodiscard]] SearchReport stop();

private:
    void run();

    const std::shared_ptr<RequestSource> source_;
    RankDevices& devices_;
    const std::function<void(const DeviceInfo&, Search&)> joined_;
    std::optional<Search> search_;
    std::size_t hits_told_ = 0;

    mutable Mutex mutex_;
    bool ended_ GPUMINER_GUARDED_BY(mutex_) = false;
    SearchReport report_ GPUMINER_GUARDED_BY(mutex_);
    std::vector<Notice> notices_ GPUMINER_GUARDED_BY(mutex_);
    std::exception_ptr failure_ GPUMINER_GUARDED_BY(mutex_);
    std::atomic<bool> joined_one_{false};

    std::thread thread_;  ///< last: uses what is above
};

}  // namespace gpuminer::mpi
