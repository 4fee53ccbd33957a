// Helpers of the ISAs' tests: scans, and the hits that the checker expects of them. gpuminer_every_isa.hpp has a type
// per ISA for TEMPLATE_TEST_CASE, so that each is a test of its own, skipped where this machine cannot run it.
#pragma once

#include <algorithm>
#include <array>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu/isa.hpp"
#include "gpuminer_every_isa.hpp"
#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "tests/catch.hpp"

namespace gpuminer::test {

/// The names that GPUMINER_EVERY_… lists.
template <class... Types>
std::set<std::string> names() {
    return {Types::kName...};
}

/// Null, and a line that says why, where this machine cannot run the ISA.
inline const cpu::Isa* isa_here(const char* name) {
    const cpu::Isa* const isa = cpu::find_isa(name);
    REQUIRE(isa != nullptr);
    if (cpu::usable(*isa, cpu::detect_features())) return isa;
    std::cout << "SKIPPED " << name << ": " << isa->missing << std::endl;
    return nullptr;
}

/// Odd ones, powers of two, one either side of the lanes' block of eight versions, more than two blocks.
inline constexpr std::array<std::uint32_t, 8> kVersionCounts = {1, 2, 3, 7, 8, 9, 16, 17};

using Versions = std::vector<std::uint32_t>;
/// Candidates as (version index, nonce), ascending.
using Keys = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Everything that this form of an ISA finds, as often as it finds it.
inline Keys scan_form(const cpu::Isa& isa, const Sha256dJob& job, NonceRange range) {
    std::vector<Candidate> found(range.count * job.versions().size() + 64);
    const cpu::ScanOutcome outcome = cpu::scan(isa, job, range, found);
    REQUIRE(outcome.scanned_by == std::string(isa.name));
    REQUIRE(outcome.found <= found.size());
    Keys keys;
    for (std::size_t i = 0; i < outcome.found; ++i) keys.emplace_back(found[i].version_index, found[i].nonce);
    std::sort(keys.begin(), keys.end());
    return keys;
}

/// The same, after making sure that every form of the ISA finds it.
inline Keys scan(const cpu::Isa& isa, const Sha256dJob& job, NonceRange range) {
    Keys keys = scan_form(isa, job, range);
    for (const cpu::Isa& form : cpu::isa_forms()) {
        if (form.name == std::string(isa.name)) {
            INFO(form.name << ", " << form.description);
            REQUIRE(scan_form(form, job, range) == keys);
        }
    }
    return keys;
}

/// The checker's top words for every version and nonce of a range: hashed once, compared often.
class Oracle {
public:
    Oracle(const BlockHeader& header, std::span<const std::uint32_t> versions, NonceRange range) : range_(range) {
        for (const std::uint32_t version : versions) {
            const BlockHeader own = header.with_version(version);
            for (std::uint64_t i = 0; i < range.count; ++i) {
                tops_.push_back(
                    double_sha256(own.with_nonce(static_cast<std::uint32_t>(range.first + i)).bytes).top_word());
            }
        }
    }

    [[nodiscard]] std::uint32_t top(std::uint32_t version_index, std::uint64_t offset) const {
        return tops_[version_index * range_.count + offset];
    }
    /// What a scan of the first `versions` versions over `part`, which lies in the range, has to find.
    [[nodiscard]] Keys keys(std::uint32_t versions, NonceRange part, std::uint32_t target_top) const {
        Keys result;
        for (std::uint32_t v = 0; v < versions; ++v) {
            for (std::uint64_t i = 0; i < part.count; ++i) {
                if (top(v, part.first - range_.first + i) <= target_top)
                    result.emplace_back(v, static_cast<std::uint32_t>(part.first + i));
            }
        }
        return result;
    }

private:
    NonceRange range_;
    std::vector<std::uint32_t> tops_;  // versions × nonces
};

/// Version fields that look arbitrary, with both ends of the number range among the first ones.
inline Versions some_versions(std::size_t count) {
    Versions versions = {0x20000000, 0xffffffff, 0, 0x3fffe000};
    while (versions.size() < count)
        versions.push_back(0x20000000 + static_cast<std::uint32_t>(versions.size()) * 0x01232000);
    versions.resize(count);
    return versions;
}

inline Sha256dJob job_of(const BlockHeader& header, const Versions& versions, std::uint32_t target_top) {
    return Sha256dJob(header.bytes, versions, target_top);
}

}  // namespace gpuminer::test
