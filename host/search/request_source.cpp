#include "host/search/request_source.hpp"

#include <limits>
#include <string>

namespace gpuminer {
namespace {

const SearchRequest& validated(const SearchRequest& request) {
    if (request.start > request.end) {
        throw InputError("expected a first nonce at or below the last one, got " + std::to_string(request.start) +
                         " and " + std::to_string(request.end));
    }
    return request;
}

/// The lowest hit is the lowest version first: searching versions one by one ends earliest.
std::uint32_t versions_per_job(Goal goal) { return goal == Goal::kLowest ? 1 : kVersionsPerJob; }

}  // namespace

RequestSource::RequestSource(const SearchRequest& request)
    : request_(validated(request)),
      versions_(request.header.version(), request.version_mask, versions_per_job(request.goal)),
      partition_(request.partition, request.start, request.end, versions_.groups()),
      hits_(request.goal, request.max_results) {}

std::optional<VersionGroup> RequestSource::group(std::uint64_t number) {
    return VersionGroup{.header = request_.header,
                        .target = request_.target,
                        .versions = versions_.group(number),
                        .found = [this, number](std::uint32_t version_index, const Hit& hit) {
                            const std::uint64_t in_space = versions_.index(number, version_index);
                            return found({static_cast<std::uint32_t>(in_space), hit.nonce}, hit.hash);
                        }};
}

bool RequestSource::found(HitKey key, const Hash256& hash) {
    const auto bound = hits_.add(key, hash);
    if (request_.goal == Goal::kFirst) {
        partition_.stop();
        return false;
    }
    if (bound) {
        // A later nonce of the bound's own group may still hold a lower key, unless it is the group's lowest version.
        const std::uint32_t group_size = versions_.group_size();
        const bool lowest_version = bound->version_index % group_size == 0;
        partition_.set_bound({bound->version_index / group_size, lowest_version ? bound->nonce : 0xffffffff});
    }
    return true;
}

std::optional<std::uint64_t> RequestSource::total_hashes() const {
    const std::uint64_t nonces = std::uint64_t{request_.end} - request_.start + 1;
    std::uint64_t total = 0;
    return __builtin_mul_overflow(nonces, versions_.size(), &total) ? std::numeric_limits<std::uint64_t>::max() : total;
}

WorkResult RequestSource::result() {
    WorkResult result;
    result.finished = (request_.goal == Goal::kFirst && !hits_.empty()) || partition_.finished();
    result.truncated = hits_.truncate();
    for (const auto& [key, hash] : hits_.entries()) {
        const std::uint32_t version = versions_.version(key.version_index);
        result.hits.push_back({version, key.nonce, hash, request_.header.with_version(version).with_nonce(key.nonce)});
    }
    return result;
}

}  // namespace gpuminer
