// One search: a header, a target and a space of (version, nonce) pairs, scanned by any number of devices,
// every candidate hashed again by the checker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/hash256.hpp"
#include "host/header.hpp"

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
    std::uint32_t start = 0;  ///< its piece (static) or the whole range (dynamic), inclusive; start > end:
    std::uint32_t end = 0;    ///< more workers than nonces, it got no piece
    std::uint64_t wrong_candidates = 0;
    std::string failure;  ///< why it was quarantined; empty: it was not
};

struct SearchReport {
    Ending ending = Ending::kFinished;
    std::vector<Hit> hits;   ///< ascending by version, then nonce
    bool truncated = false;  ///< kAll found more than max_results
    std::uint64_t hashes = 0;
    double seconds = 0;  ///< steady_clock, workers' start to the last one's end
    std::uint64_t rejected_candidates = 0;
    double tsc_hz = 0;  ///< frequency of the cycle counter over this search; 0: none
    std::vector<DeviceReport> devices;
};

struct SearchProgress {
    std::uint64_t hashes_done = 0;
    std::uint64_t hashes_total = 0;  ///< nonces × versions; saturates at 2^64-1
    double seconds = 0;
    bool paused = false;
};

class Search {
public:
    Search(const SearchRequest& request, std::vector<std::unique_ptr<Device>> devices);
    ~Search();

    /// Self-tests the devices, searches, and returns when the goal is reached, the space is searched, or
    /// stop() was called. One thread per device. To be called once.
    [[nodiscard]] SearchReport run();

    // From any other thread:
    void stop(Ending why);  ///< no next batch; the first reason given stays
    void set_paused(bool paused);
    [[nodiscard]] SearchProgress progress() const;
    /// Messages for the user ("cpu:avx512#1 is quarantined: …") since the last call.
    [[nodiscard]] std::vector<std::string> take_messages();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer
