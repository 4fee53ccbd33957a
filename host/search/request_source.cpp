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

VersionSpace versions_of(const SearchRequest& request, std::uint32_t group_size) {
    return {request.header.version(), request.version_mask, group_size};
}

}  // namespace

RequestSource::RequestSource(const SearchRequest& request)
    : request_(validated(request)),
      versions_(versions_of(request, versions_per_job(request.goal))),
      recording_(false),
      partition_(request.partition, space()),
      hits_(request_, versions_, false) {}

RequestSource::RequestSource(const SearchRequest& request, const SearchRecord& earlier)
    : request_(validated(request)),
      versions_(versions_of(request, group_size_of(request, earlier))),
      recording_(true),
      hashes_before_(earlier.done.size() * versions_.group_size()),
      partition_(request.partition, space(), earlier.done),
      hits_(request_, versions_, true) {
    if (!earlier.done.empty() && earlier.done.intervals().rbegin()->second > space().positions())
        throw InputError("expected work within the range and its versions, got some beyond them");
    for (const HitKey& hit : earlier.hits) take(hits_.add(hit));
}

RequestSource::RequestSource(const SearchRequest& request, std::uint32_t group_size)
    : request_(validated(request)),
      versions_(versions_of(request, group_size)),
      recording_(true),
      partition_(space()),
      hits_(request_, versions_, true) {}

std::optional<VersionGroup> RequestSource::group(std::uint64_t number) {
    return VersionGroup{.header = request_.header,
                        .target = request_.target,
                        .versions = versions_.group(number),
                        // A unit that is recorded as done has all of its hits recorded.
                        .first_hit_only = request_.goal == Goal::kFirst && !recording_,
                        .found = [this](const Hit& hit) {
                            take(hits_.add({hit.version, hit.nonce}, hit.hash));
                        }};
}

void RequestSource::take(const HitEffect& effect) {
    if (effect.goal_reached) partition_.stop();
    if (effect.bound) partition_.set_bound(*effect.bound);
}

std::optional<std::uint64_t> RequestSource::total_hashes() const {
    std::uint64_t total = 0;
    return __builtin_mul_overflow(space().nonces.count, versions_.size(), &total)
               ? std::numeric_limits<std::uint64_t>::max()
               : total;
}

bool RequestSource::finished() const { return hits_.goal_reached() || partition_.finished(); }

SearchRecord RequestSource::record() const {
    // The work first: its hits were found before it counted as done.
    SearchRecord record{.group_size = versions_.group_size(), .done = partition_.done(), .hits = {}};
    record.hits = hits_.recorded();
    return record;
}

WorkResult RequestSource::result() {
    WorkResult result;
    result.finished = finished();
    hits_.move_to(result);
    return result;
}

}  // namespace gpuminer
