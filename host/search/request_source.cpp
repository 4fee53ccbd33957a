#include "host/search/request_source.hpp"

#include <limits>
#include <string>

#include "host/errors.hpp"

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

std::uint32_t group_size_of(const SearchRequest& request, const SearchRecord& earlier) {
    return earlier.group_size != 0 ? earlier.group_size : versions_per_job(request.goal);
}

}  // namespace

RequestSource::RequestSource(const SearchRequest& request)
    : record_(validated(request), versions_per_job(request.goal), false),
      partition_(request.partition, record_.space()) {}

RequestSource::RequestSource(const SearchRequest& request, const SearchRecord& earlier)
    : record_(validated(request), group_size_of(request, earlier), true),
      partition_(request.partition, record_.space(), earlier.done),
      hashes_before_(earlier.done.size() * group_size()) {
    if (!earlier.done.empty() && earlier.done.intervals().rbegin()->second > record_.space().positions())
        throw InputError("expected work within the range and its versions, got some beyond them");
    for (const HitKey& hit : earlier.hits) record_.add(hit);
    narrow();
}

RequestSource::RequestSource(const SearchRequest& request, std::uint32_t group_size)
    : record_(validated(request), group_size, true), partition_(record_.space()) {}

std::optional<VersionGroup> RequestSource::group(std::uint64_t number) {
    const SearchRequest& request = record_.request();
    return VersionGroup{.header = request.header,
                        .target = request.target,
                        .versions = record_.versions().group(number),
                        // A unit that is recorded as done has all of its hits recorded.
                        .first_hit_only = request.goal == Goal::kFirst && !record_.recording(),
                        .found = [this](const Hit& hit) {
                            record_.add({hit.version, hit.nonce}, hit.hash);
                            narrow();
                        }};
}

void RequestSource::narrow() {
    if (record_.goal_reached()) partition_.stop();
    if (const auto bound = record_.bound()) partition_.set_bound(*bound);
}

std::optional<std::uint64_t> RequestSource::total_hashes() const {
    std::uint64_t total = 0;
    return __builtin_mul_overflow(record_.space().nonces.count, record_.versions().size(), &total)
               ? std::numeric_limits<std::uint64_t>::max()
               : total;
}

}  // namespace gpuminer
