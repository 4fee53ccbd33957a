#include "host/search/request_hits.hpp"

#include <map>
#include <string>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

RequestHits::RequestHits(const SearchRequest& request, const VersionSpace& versions, bool recording)
    : request_(request), versions_(versions), recording_(recording), hits_(request.goal, request.max_results) {}

HitEffect RequestHits::add(HitKey key, const Hash256& hash) {
    if (recording_) all_.add(key);
    const auto bound = hits_.add(key, hash);
    if (request_.goal == Goal::kFirst) return {.goal_reached = true, .bound = std::nullopt};
    if (!bound) return {};
    // A later nonce of the bound's own group may still hold a lower key, unless it is the group's lowest version.
    const std::uint32_t group_size = versions_.group_size();
    const std::uint32_t index = versions_.index_of(bound->version).value();
    const bool lowest_version = index % group_size == 0;
    return {.goal_reached = false, .bound = UnitKey{index / group_size, lowest_version ? bound->nonce : 0xffffffff}};
}

HitEffect RequestHits::add(HitKey hit) {
    const BlockHeader header = request_.header.with_version(hit.version).with_nonce(hit.nonce);
    const Checked checked = check(header, request_.target);
    if (!versions_.index_of(hit.version) || hit.nonce < request_.start || hit.nonce > request_.end ||
        checked.verdict != Verdict::hit) {
        throw InputError("expected hits of this search, got nonce " + std::to_string(hit.nonce) + " of version " +
                         hex8(hit.version) + ", which is not a hit");
    }
    return add(hit, checked.hash);
}

void RequestHits::move_to(WorkResult& result) {
    result.truncated = hits_.truncate();
    const std::map<HitKey, Hash256> hits = hits_.entries();
    result.hits.reserve(hits.size());
    for (const auto& [key, hash] : hits) {
        const BlockHeader header = request_.header.with_version(key.version).with_nonce(key.nonce);
        result.hits.push_back({key.version, key.nonce, hash, header});
    }
}

}  // namespace gpuminer
