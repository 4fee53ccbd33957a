#include "host/search/self_test.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "host/block/algorithm.hpp"
#include "host/mutex.hpp"

namespace gpuminer {

namespace {

/// Candidates as (version index, nonce), ascending.
using Keys = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Case {
    std::string name;
    std::unique_ptr<const ScanJob> job;
    NonceRange range;
    Keys expected;
};

Case make_case(const Algorithm& algorithm, const KnownScan& scan) {
    Keys expected;
    for (std::uint32_t v = 0; v < scan.versions.size(); ++v) {
        const BlockHeader header = scan.header.with_version(scan.versions[v]);
        for (std::uint64_t i = 0; i < scan.range.count; ++i) {
            const auto nonce = static_cast<std::uint32_t>(scan.range.first + i);
            if (algorithm.hash(header.with_nonce(nonce)).top_word() <= scan.target_top) expected.emplace_back(v, nonce);
        }
    }
    return {scan.name, algorithm.make_job(scan.header, scan.versions, scan.target_top), scan.range,
            std::move(expected)};
}

/// Made once for all devices.
const std::vector<Case>& cases_of(const Algorithm& algorithm) {
    static Mutex mutex;
    static std::map<const Algorithm*, std::vector<Case>> cases;
    const MutexLock lock(mutex);
    std::vector<Case>& result = cases[&algorithm];
    if (result.empty()) {
        for (const KnownScan& scan : algorithm.known_scans()) result.push_back(make_case(algorithm, scan));
    }
    return result;
}

std::string describe(std::pair<std::uint32_t, std::uint32_t> key, const Case& test) {
    std::string text = "nonce " + std::to_string(key.second);
    if (test.job->rolled()) text += " with version index " + std::to_string(key.first);
    return text;
}

/// Why the device fails this case; nothing: it does not.
std::optional<std::string> failure(const Case& test, const ScanResult& result) {
    if (result.candidates.overflow()) return "it reported more candidates than it was given nonces";
    Keys found;
    for (const Candidate& c : result.candidates.items()) found.emplace_back(c.version_index, c.nonce);
    std::sort(found.begin(), found.end());
    const auto [got, want] = std::mismatch(found.begin(), found.end(), test.expected.begin(), test.expected.end());
    if (got == found.end() && want == test.expected.end()) return std::nullopt;
    const bool missed = want != test.expected.end() && (got == found.end() || *want < *got);
    return missed ? "it missed " + describe(*want, test) : "it wrongly reported " + describe(*got, test);
}

}  // namespace

std::optional<std::string> self_test(Device& device) {
    ScanResult result;
    for (const Case& test : cases_of(*device.info().algorithm)) {
        result.clear();
        device.scan(*test.job, test.range, result);
        if (const auto reason = failure(test, result)) {
            return "self-test failed (" + test.name + "): " + *reason;
        }
    }
    return std::nullopt;
}

}  // namespace gpuminer
