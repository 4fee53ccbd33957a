#include "host/search/request_record.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

RequestRecord::RequestRecord(const SearchRequest& request, std::uint32_t group_size, bool recording)
    : request_(request), versions_(request.header.version(), request.version_mask, group_size), recording_(recording) {}

void RequestRecord::add(HitKey key, const Hash256& hash) {
    const MutexLock lock(mutex_);
    if (recording_ && known_.insert(key).second) all_.push_back(key);
    if (request_.goal != Goal::kFirst || hits_.empty()) hits_.emplace(key, hash);
    if (hits_.size() > capacity()) hits_.erase(std::prev(hits_.end()));
}

void RequestRecord::add(HitKey hit) {
    const BlockHeader header = request_.header.with_version(hit.version).with_nonce(hit.nonce);
    const Checked checked = check(header, request_.target);
    if (!versions_.index_of(hit.version) || hit.nonce < request_.start || hit.nonce > request_.end ||
        checked.verdict != Verdict::hit) {
        throw InputError("expected hits of this search, got nonce " + std::to_string(hit.nonce) + " of version " +
                         hex8(hit.version) + ", which is not a hit");
    }
    add(hit, checked.hash);
}

bool RequestRecord::goal_reached() const {
    const MutexLock lock(mutex_);
    return request_.goal == Goal::kFirst && !hits_.empty();
}

std::optional<UnitKey> RequestRecord::bound() const {
    const MutexLock lock(mutex_);
    if (request_.goal == Goal::kFirst || hits_.size() < capacity()) return std::nullopt;
    const HitKey last = std::prev(hits_.end())->first;
    // A later nonce of its own group may still hold a lower key, unless it is the group's lowest version.
    const std::uint32_t group_size = versions_.group_size();
    const std::uint32_t index = versions_.index_of(last.version).value();
    const bool lowest_version = index % group_size == 0;
    return UnitKey{index / group_size, lowest_version ? last.nonce : 0xffffffff};
}

std::vector<HitKey> RequestRecord::hits_from(std::size_t first) const {
    const MutexLock lock(mutex_);
    return {all_.begin() + static_cast<std::ptrdiff_t>(std::min(first, all_.size())), all_.end()};
}

SearchRecord RequestRecord::record(IntervalSet done) const {
    return {.group_size = versions_.group_size(), .done = std::move(done), .hits = hits_from(0)};
}

WorkResult RequestRecord::result(bool finished) const {
    const MutexLock lock(mutex_);
    WorkResult result{.finished = finished, .hits = {}, .truncated = false};
    result.hits.reserve(hits_.size());
    for (const auto& [key, hash] : hits_) {
        const BlockHeader header = request_.header.with_version(key.version).with_nonce(key.nonce);
        result.hits.push_back({key.version, key.nonce, hash, header});
    }
    result.truncated = request_.goal == Goal::kAll && hits_.size() > request_.max_results;
    if (result.truncated) result.hits.pop_back();
    return result;
}

std::uint64_t RequestRecord::capacity() const {
    if (request_.goal != Goal::kAll) return 1;
    const bool spare = request_.max_results < std::numeric_limits<std::uint64_t>::max();
    return request_.max_results + (spare ? 1 : 0);
}

}  // namespace gpuminer
