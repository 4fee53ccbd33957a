// Work for one SearchRequest: its versions in groups, and the list of its hits.
#pragma once

#include "host/search/hit_list.hpp"
#include "host/search/version_space.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

class RequestSource final : public WorkSource {
public:
    /// Throws InputError for an empty range.
    explicit RequestSource(const SearchRequest& request);

    [[nodiscard]] Partition& partition() override { return partition_; }
    [[nodiscard]] std::optional<VersionGroup> group(std::uint64_t number) override;
    [[nodiscard]] std::uint32_t group_size() const override { return versions_.group_size(); }
    [[nodiscard]] std::uint64_t generation() const override { return 0; }
    [[nodiscard]] std::optional<std::uint64_t> total_hashes() const override;
    [[nodiscard]] WorkResult result() override;

private:
    bool found(HitKey key, const Hash256& hash);

    const SearchRequest request_;
    const VersionSpace versions_;
    Partition partition_;
    HitList hits_;
};

}  // namespace gpuminer
