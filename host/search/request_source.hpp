// Work for one SearchRequest: its versions in groups, and the record of its hits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/search/request_record.hpp"
#include "host/search/search_types.hpp"
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
    [[nodiscard]] std::uint32_t group_size() const override { return record_.versions().group_size(); }
    [[nodiscard]] std::uint64_t generation() const override { return 0; }
    [[nodiscard]] std::optional<std::uint64_t> total_hashes() const override;
    [[nodiscard]] std::uint64_t hashes_before() const override { return hashes_before_; }
    /// Whether there is nothing left to be done: a record may say so from the beginning.
    [[nodiscard]] bool finished() const { return record_.goal_reached() || partition_.finished(); }
    [[nodiscard]] WorkResult result() override { return record_.result(finished()); }

    /// So far. From any thread, also after the search.
    [[nodiscard]] SearchRecord record() const { return record_.record(partition_.done()); }
    /// Its hits from number `first` on.
    [[nodiscard]] std::vector<HitKey> hits_from(std::size_t first) const { return record_.hits_from(first); }

private:
    /// What the hits so far leave to be searched.
    void narrow();

    RequestRecord record_;
    Partition partition_;
    std::uint64_t hashes_before_ = 0;
};

}  // namespace gpuminer
