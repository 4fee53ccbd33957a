// One rank's part in the search: its devices and the work taken for them, its progress, and rank 0's orders.
#pragma once

#include <atomic>
#include <chrono>
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
#include "mpi/messages.hpp"
#include "mpi/shares.hpp"

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

/// The search on one rank: its devices, and the work that the rank has taken for them.
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

/// Takes work for the devices, reports their progress, and follows rank 0's orders. Used by one thread, the one that
/// may call MPI.
class RankWorker {
public:
    using Clock = std::chrono::steady_clock;
    /// Adds to the common cursor, and returns what it was before.
    using Take = std::function<std::uint64_t(std::uint64_t)>;

    /// The first group of all: a fraction of a second's work of one slow thread.
    static constexpr std::uint64_t kFirstHashes = std::uint64_t{1} << 16;

    RankWorker(RankSearch& search, const RankStart& start, unsigned ranks, Take take,
               std::uint64_t first_hashes = kFirstHashes);

    /// Takes work where there is little left. Returns what rank 0 is to be told; empty: nothing yet.
    /// `stop_signal`: that has come to this rank; 0: none.
    [[nodiscard]] std::optional<RankNews> step(Clock::time_point now, int stop_signal);
    void obey(const RankOrders& orders);

    /// It has told its last.
    [[nodiscard]] bool ended() const { return ended_; }
    /// Once it has ended.
    [[nodiscard]] const SearchReport& report() const { return report_; }

private:
    void take_work(Clock::time_point now);
    [[nodiscard]] std::vector<Interval> next_group(Clock::time_point now);
    void give_back_all();
    void collect(RankNews& news);
    [[nodiscard]] bool is_urgent(const RankNews& news) const;

    RankSearch& search_;
    const WorkSpace space_;
    const RemainingWork work_;
    const Take take_;
    unsigned ranks_;
    GroupSize size_;
    std::uint64_t completed_ = 0;  ///< positions
    std::uint64_t left_;           ///< of the work, as far as this rank knows
    UnitKey bound_ = kNoBound;
    const bool is_static_;
    CutRate cut_rate_;               ///< static
    std::optional<Interval> piece_;  ///< static, once it is cut: what is left of this rank's own part
    bool at_the_end_ = false;        ///< of the common cursor, or of the piece
    bool asked_ = false;
    bool looks_on_ = false;
    int stop_signal_ = 0;
    bool over_ = false;
    bool ended_ = false;
    RankNews news_;  ///< not told yet
    Clock::time_point told_at_;
    SearchReport report_;
};

}  // namespace gpuminer::mpi
