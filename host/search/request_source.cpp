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

std::uint64_t nonces_of(const SearchRequest& request) { return std::uint64_t{request.end} - request.start + 1; }

}  // namespace

RequestSource::RequestSource(const SearchRequest& request)
    : RequestSource(request, versions_per_job(request.goal), false) {}

RequestSource::RequestSource(const SearchRequest& request, const SearchRecord& earlier)
    : RequestSource(request, earlier.group_size != 0 ? earlier.group_size : versions_per_job(request.goal), true) {
    const std::uint64_t positions = versions_.groups() * nonces_of(request_);
    if (!earlier.done.empty() && earlier.done.intervals().rbegin()->second > positions)
        throw InputError("expected work within the range and its versions, got some beyond them");
    hashes_before_ = earlier.done.size() * versions_.group_size();
    partition_.record(earlier.done);
    for (const HitKey& hit : earlier.hits) take(hits_.add(hit));
}

RequestSource::RequestSource(const SearchRequest& request, std::uint32_t group_size, bool recording)
    : request_(validated(request)),
      versions_(request.header.version(), request.version_mask, group_size),
      recording_(recording),
      partition_(request.partition, request.start, request.end, versions_.groups()),
      hits_(request_, versions_, recording) {}

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
    return __builtin_mul_overflow(nonces_of(request_), versions_.size(), &total)
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
