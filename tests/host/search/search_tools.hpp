// Tools for tests of whole searches: requests, the oracle, fake devices, jobs.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/block/checker.hpp"
#include "host/search/fleet.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/search.hpp"
#include "host/search/version_space.hpp"
#include "host/text/bytes.hpp"
#include "tests/catch.hpp"
#include "tests/host/devices/fake_devices.hpp"
#include "tests/waiting.hpp"

namespace gpuminer::test {

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

/// Does nothing before this has happened.
inline Behaviour waiting_for(const Event& event, Behaviour behaviour) {
    behaviour.before_scan = [event](unsigned) { event.wait(); };
    return behaviour;
}

inline std::vector<std::string> names_of(const SearchReport& report) {
    std::vector<std::string> names;
    for (const DeviceReport& device : report.devices) names.push_back(device.info.name);
    return names;
}

/// Headers that differ in the previous hash: its first byte is the job's, the next ones are the header's number.
class NumberedJob : public MiningJob {
public:
    explicit NumberedJob(std::uint8_t number, const Hash256& target = {}, std::uint32_t version_mask = 0,
                         bool first_only = false)
        : number_(number), target_(target), version_mask_(version_mask), first_only_(first_only) {}

    BlockHeader header(std::uint64_t index) const override {
        BlockHeader header = genesis();
        header.bytes[4] = number_;
        store_le(std::span(header.bytes).subspan(5, 8), index);
        return header;
    }
    Hash256 target() const override { return target_; }
    std::uint32_t version_mask() const override { return version_mask_; }
    bool ends_with_first_hit() const override { return first_only_; }

private:
    const std::uint8_t number_;
    const Hash256 target_;
    const std::uint32_t version_mask_;
    const bool first_only_;
};

}  // namespace gpuminer::test
