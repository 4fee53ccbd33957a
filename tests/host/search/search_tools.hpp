// Tools for tests of whole searches: requests, the oracle, fake devices, and waiting.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "host/block/checker.hpp"
#include "host/search/fleet.hpp"
#include "host/search/search.hpp"
#include "host/search/version_space.hpp"
#include "tests/catch.hpp"
#include "tests/host/devices/fake_devices.hpp"

namespace gpuminer::test {

using namespace std::chrono_literals;

using Devices = std::vector<std::unique_ptr<Device>>;
using Key = std::pair<std::uint32_t, std::uint32_t>;  // version, nonce

inline constexpr PartitionMode kModes[] = {PartitionMode::kStatic, PartitionMode::kDynamic};
inline constexpr std::uint32_t kMask = 0x0000e000;      // 8 versions: one group
inline constexpr std::uint32_t kWideMask = 0x0001e000;  // 16 versions: two groups

inline BlockHeader genesis() {
    return parse_header_hex(
               "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27a"
               "c72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
        .header;
}

inline Hash256 target_with_top(std::uint32_t top) {
    Hash256 target;
    store_be32(target.bytes, 0, top);
    return target;
}

/// About one hash in 256 meets it.
inline SearchRequest request_of(PartitionMode mode, Goal goal, std::uint32_t start, std::uint32_t end) {
    SearchRequest request;
    request.header = genesis();
    request.target = target_with_top(0x00ffffff);
    request.start = start;
    request.end = end;
    request.partition = mode;
    request.goal = goal;
    return request;
}

inline std::vector<std::uint32_t> versions_of(const SearchRequest& request) {
    return VersionSpace(request.header.version(), request.version_mask, 1u << 5).group(0);
}

inline std::vector<Key> oracle(const SearchRequest& request) {
    std::vector<Key> keys;
    for (const std::uint32_t version : versions_of(request)) {
        const BlockHeader header = request.header.with_version(version);
        for (std::uint64_t nonce = request.start; nonce <= request.end; ++nonce) {
            const BlockHeader solved = header.with_nonce(static_cast<std::uint32_t>(nonce));
            if (double_sha256(solved.bytes) <= request.target) keys.emplace_back(version, solved.nonce());
        }
    }
    return keys;
}

inline std::vector<Key> keys_of(const SearchReport& report) {
    std::vector<Key> keys;
    for (const Hit& hit : report.hits) {
        keys.emplace_back(hit.version, hit.nonce);
        CHECK(hit.header.version() == hit.version);
        CHECK(hit.header.nonce() == hit.nonce);
        CHECK(double_sha256(hit.header.bytes) == hit.hash);
    }
    return keys;
}

inline std::vector<std::string> texts_of(const std::vector<Notice>& notices) {
    std::vector<std::string> texts;
    for (const Notice& notice : notices) texts.push_back(notice.text);
    return texts;
}

inline Devices devices_of(const std::vector<Behaviour>& behaviours) {
    Devices devices;
    for (const Behaviour& behaviour : behaviours) {
        devices.push_back(std::make_unique<FakeDevice>("fake:" + std::to_string(devices.size()), genesis(), behaviour));
    }
    return devices;
}

struct FleetOfSearch {
    Fleet fleet;
};
/// A search with a fleet of its own.
class LoneSearch : FleetOfSearch, public Search {
public:
    LoneSearch(const SearchRequest& request, Devices devices)
        : FleetOfSearch{Fleet(std::move(devices))}, Search(request, fleet) {}
};

inline SearchReport search(const SearchRequest& request, const std::vector<Behaviour>& behaviours) {
    return LoneSearch(request, devices_of(behaviours)).run();
}

inline Behaviour batches_of(std::uint64_t batch) {
    Behaviour behaviour;
    behaviour.batch = batch;
    return behaviour;
}

inline Behaviour counting(Coverage& coverage, std::uint64_t batch = 500) {
    Behaviour behaviour = batches_of(batch);
    behaviour.coverage = &coverage;
    return behaviour;
}

/// Waits without a limit of its own: a busy machine only takes longer.
template <class Condition>
void wait_until(const Condition& condition) {
    while (!condition()) std::this_thread::sleep_for(1ms);
}

/// Time in which something that must not happen would happen. A busy machine cannot make it fail.
inline void give_it_a_chance() { std::this_thread::sleep_for(30ms); }

/// While it is closed, scans of search jobs wait at their beginning. Where a device is known to wait there, it has no
/// other unit in hand that could begin after what the test does next.
class Valve {
public:
    ~Valve() { open(); }

    Behaviour behind(Behaviour behaviour) {
        behaviour.before_scan = [this](unsigned) { pass(); };
        return behaviour;
    }
    /// Returns when so many devices wait in it.
    void close_on(unsigned devices) {
        std::unique_lock lock(mutex_);
        closed_ = true;
        changed_.wait(lock, [&] { return waiting_ >= devices; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        closed_ = false;
        changed_.notify_all();
    }

private:
    void pass() {
        std::unique_lock lock(mutex_);
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !closed_; });
        --waiting_;
    }

    std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    bool closed_ = false;
    unsigned waiting_ = 0;
};

/// Lets no device but this one finish early: the others wait before each of their scans until it has failed.
struct Gate {
    std::promise<void> promise;
    std::shared_future<void> opened{promise.get_future()};

    Behaviour behind(Behaviour behaviour) const {
        behaviour.before_scan = [opened = opened](unsigned) { opened.wait(); };
        return behaviour;
    }
};

}  // namespace gpuminer::test
