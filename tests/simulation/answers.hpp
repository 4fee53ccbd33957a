// The headers of the simulated searches, and which of their nonces are hits: hashed once, for all schedules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "kernel/sha256d_job.hpp"

namespace gpuminer::simulation {

/// One header with one version. Only nonces on a few islands are looked at: simulated devices report no others.
struct Row {
    std::size_t header = 0;
    BlockHeader solved_but_for_nonce;
    std::vector<std::uint32_t> hits;  ///< ascending

    [[nodiscard]] std::vector<std::uint32_t> hits_in(NonceRange range) const;
};

class Answers {
public:
    static constexpr std::size_t kHeaders = 12;
    static constexpr std::uint32_t kMask = 0x0001e000;  ///< of versions: 16 of them
    static constexpr std::array<std::uint32_t, 8> kIslands{0, 480, 3'900, 20'000, 65'500, 131'000, 262'000, 0xfffffe00};
    static constexpr std::uint32_t kIslandSize = 512;

    [[nodiscard]] static const Answers& get();

    [[nodiscard]] static BlockHeader header(std::size_t number);
    [[nodiscard]] static Hash256 target();
    [[nodiscard]] const Row& row(std::size_t header, std::uint32_t version) const;
    /// Null: the job is none of a search.
    [[nodiscard]] const Row* row(const Sha256dJob& job, std::size_t version_index) const;
    /// What a device has to answer in its self-test.
    [[nodiscard]] const std::vector<Candidate>& self_test(const Sha256dJob& job, NonceRange range) const;

private:
    Answers();
    [[nodiscard]] static std::uint64_t key(const Sha256dJob& job, std::size_t version_index);

    std::unordered_map<std::uint64_t, Row> rows_;            // by midstate
    std::unordered_map<std::uint64_t, std::uint64_t> keys_;  // of the rows, by header and version
    // The cases of the self-test are made once for all devices: their jobs stay where they are.
    mutable std::unordered_map<const Sha256dJob*, std::vector<Candidate>> self_tests_;
};

}  // namespace gpuminer::simulation
