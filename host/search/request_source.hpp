// Work for one SearchRequest: its versions in groups, and the list of its hits.
#pragma once

#include <optional>

#include "host/search/request_hits.hpp"
#include "host/search/search_record.hpp"
#include "host/search/version_space.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

class RequestSource final : public WorkSource {
public:
    /// Throws InputError for an empty range.
    explicit RequestSource(const SearchRequest& request);
    /// One whose record() others may read. It goes on from `earlier`, in its groups: what is done there is not searched
    /// again, and its hits count as found. The goals need not be the same. Throws InputError for what does not belong
    /// to the request: work outside of its space, hits that the checker does not confirm.
    RequestSource(const SearchRequest& request, const SearchRecord& earlier);
    /// The same of what its partition is fed, in groups of so many versions.
    RequestSource(const SearchRequest& request, std::uint32_t group_size);

    [[nodiscard]] Partition& partition() override { return partition_; }
    [[nodiscard]] std::optional<VersionGroup> group(std::uint64_t number) override;
    [[nodiscard]] std::uint32_t group_size() const override { return versions_.group_size(); }
    [[nodiscard]] std::uint64_t generation() const override { return 0; }
    [[nodiscard]] std::optional<std::uint64_t> total_hashes() const override;
    [[nodiscard]] std::uint64_t hashes_before() const override { return hashes_before_; }
    /// Whether there is nothing left to be done: a record may say so from the beginning.
    [[nodiscard]] bool finished() const;
    [[nodiscard]] WorkResult result() override;

    /// So far. From any thread, also after the search.
    [[nodiscard]] SearchRecord record() const;
    /// Its hits from number `first` on.
    [[nodiscard]] std::vector<HitKey> hits_from(std::size_t first) const { return hits_.recorded(first); }

private:
    [[nodiscard]] WorkSpace space() const {
        return {{request_.start, std::uint64_t{request_.end} - request_.start + 1}, versions_.groups()};
    }
    void take(const HitEffect& effect);

    const SearchRequest request_;
    const VersionSpace versions_;
    const bool recording_;
    std::uint64_t hashes_before_ = 0;
    Partition partition_;
    RequestHits hits_;
};

}  // namespace gpuminer
