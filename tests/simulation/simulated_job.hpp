// A job of a simulated stream. Every one of its headers is the same, as none of them is searched to the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/search/mining_job.hpp"
#include "tests/simulation/answers.hpp"
#include "tests/simulation/search_oracle.hpp"

namespace gpuminer::simulation {

class SimulatedJob final : public MiningJob {
public:
    explicit SimulatedJob(const JobRecord& record)
        : number(record.header), version_mask_(record.version_mask), first_hit_only_(record.first_hit_only) {}

    const std::size_t number;

    BlockHeader header(std::uint64_t) const override { return Answers::header(number); }
    Hash256 target() const override { return Answers::target(); }
    std::uint32_t version_mask() const override { return version_mask_; }
    bool ends_with_first_hit() const override { return first_hit_only_; }

private:
    const std::uint32_t version_mask_;
    const bool first_hit_only_;
};

}  // namespace gpuminer::simulation
