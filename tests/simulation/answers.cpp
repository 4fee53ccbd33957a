#include "tests/simulation/answers.hpp"

#include <algorithm>
#include <stdexcept>

#include "host/block/checker.hpp"
#include "host/search/version_space.hpp"
#include "host/text/bytes.hpp"
#include "tests/host/devices/fake_devices.hpp"

namespace gpuminer::simulation {
namespace {

constexpr std::uint32_t kTargetTop = 0x00ffffff;  // about one hash in 256 meets it

std::uint64_t number_of(std::size_t header, std::uint32_t version) { return std::uint64_t{header} << 32 | version; }

}  // namespace

std::vector<std::uint32_t> Row::hits_in(NonceRange range) const {
    const auto first = std::ranges::lower_bound(hits, range.first);
    const auto last =
        std::find_if(first, hits.end(), [&](std::uint32_t nonce) { return nonce - range.first >= range.count; });
    return {first, last};
}

const Answers& Answers::get() {
    static const Answers answers;
    return answers;
}

Answers::Answers() {
    const VersionSpace versions(header(0).version(), kMask, 16);
    for (std::size_t number = 0; number < kHeaders; ++number) {
        for (const std::uint32_t version : versions.group(0)) {
            Row row{number, header(number).with_version(version), {}};
            std::uint64_t next = 0;  // islands may overlap
            for (const std::uint64_t first : kIslands) {
                for (next = std::max(next, first); next < first + kIslandSize; ++next) {
                    const auto nonce = static_cast<std::uint32_t>(next);
                    if (double_sha256(row.solved_but_for_nonce.with_nonce(nonce).bytes) <= target())
                        row.hits.push_back(nonce);
                }
            }
            const std::uint64_t found_by = key(Sha256dJob(row.solved_but_for_nonce.bytes, {&version, 1}, 0), 0);
            keys_[number_of(number, version)] = found_by;
            if (!rows_.emplace(found_by, std::move(row)).second) throw std::logic_error("two midstates begin alike");
        }
    }
}

BlockHeader Answers::header(std::size_t number) {
    static const BlockHeader genesis =
        parse_header_hex(
            "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27a"
            "c72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
            .header;
    BlockHeader header = genesis;
    header.bytes[4] = static_cast<std::uint8_t>(number);  // in the previous hash
    return header;
}

Hash256 Answers::target() {
    Hash256 target;
    store_be32(target.bytes, 0, kTargetTop);
    return target;
}

const Row& Answers::row(std::size_t header, std::uint32_t version) const {
    return rows_.at(keys_.at(number_of(header, version)));
}

const Row* Answers::row(const Sha256dJob& job, std::size_t version_index) const {
    const auto found = rows_.find(key(job, version_index));
    return found == rows_.end() ? nullptr : &found->second;
}

const std::vector<Candidate>& Answers::self_test(const Sha256dJob& job, NonceRange range) const {
    const auto [known, is_new] = self_tests_.try_emplace(&job);
    if (is_new) {
        for (std::uint32_t v = 0; v < job.versions().size(); ++v) {
            for (std::uint64_t i = 0; i < range.count; ++i) {
                const auto nonce = static_cast<std::uint32_t>(range.first + i);
                if (passes_top_word(test::last_word(job, v, nonce), job.target_top()))
                    known->second.push_back({v, nonce});
            }
        }
    }
    return known->second;
}

std::uint64_t Answers::key(const Sha256dJob& job, std::size_t version_index) {
    const auto& midstate = job.midstates()[version_index];
    return std::uint64_t{midstate[0]} << 32 | midstate[1];
}

}  // namespace gpuminer::simulation
