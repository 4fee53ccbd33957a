#include "kernel/scan_job.hpp"

#include <stdexcept>

#include "kernel/sha256.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer {
namespace {

using word = std::uint32_t;
using sha256::add;
using sha256::ch;
using sha256::maj;
using sha256::rotr;
using sha256::shr;
using sha256::xor3;
using Midstate = sha256::State<word>;
using Tail = std::array<word, 3>;

word constant(word value) { return value; }

word big_endian(const std::uint8_t* bytes) {
    return word{bytes[0]} << 24 | word{bytes[1]} << 16 | word{bytes[2]} << 8 | bytes[3];
}

// The host's share of the printed programs, one function a stage.

void fixed_job(const Midstate& midstate_words, const Tail& tail_words, std::vector<word>& table) {
    table.resize(kFixedJobWords);
    const auto midstate = [&](std::size_t i) { return midstate_words[i]; };
    const auto tail = [&](std::size_t i) { return tail_words[i]; };
    const auto export_job = [&](std::size_t i, word x) { table[i] = x; };
#include "search_program/fixed_job.inc"
}

void rolled_job(const Tail& tail_words, std::vector<word>& table) {
    table.resize(kRolledJobWords);
    const auto tail = [&](std::size_t i) { return tail_words[i]; };
    const auto export_job = [&](std::size_t i, word x) { table[i] = x; };
#include "search_program/rolled_job.inc"
}

void rolled_version(const Midstate& midstate_words, const std::vector<word>& job_words, word* table) {
    const auto midstate = [&](std::size_t i) { return midstate_words[i]; };
    const auto job = [&](std::size_t i) { return job_words[i]; };
    const auto export_version = [&](std::size_t i, word x) { table[i] = x; };
#include "search_program/rolled_version.inc"
}

}  // namespace

ScanJob::ScanJob(std::span<const std::uint8_t, 80> header, std::span<const std::uint32_t> versions,
                 std::uint32_t target_top)
    : versions_(versions.begin(), versions.end()), target_top_(target_top) {
    if (versions_.empty()) throw std::invalid_argument("a scan job needs at least one version");
    sha256::Block<word> block1;
    for (std::size_t i = 0; i < block1.size(); ++i) block1[i] = big_endian(&header[4 * i]);
    for (std::size_t i = 0; i < tail_.size(); ++i) tail_[i] = big_endian(&header[64 + 4 * i]);
    for (const std::uint32_t version : versions_) {
        block1[0] = __builtin_bswap32(version);  // a number, serialised little-endian, read big-endian
        midstates_.push_back(sha256::compress(sha256::initial_state<word>(), block1));
    }
    if (!rolled()) {
        fixed_job(midstates_.front(), tail_, job_words_);
        return;
    }
    rolled_job(tail_, job_words_);
    version_stride_ = kRolledVersionWords;
    version_words_.resize(versions_.size() * version_stride_);
    for (std::size_t i = 0; i < versions_.size(); ++i) {
        rolled_version(midstates_[i], job_words_, &version_words_[i * version_stride_]);
    }
}

std::uint32_t ScanJob::sieve_mask() const {
    const int leading_zeros = target_top_ == 0 ? 32 : __builtin_clz(target_top_);
    const std::uint32_t as_displayed = leading_zeros == 0 ? 0 : ~std::uint32_t{0} << (32 - leading_zeros);
    return __builtin_bswap32(as_displayed);
}

std::span<const std::uint32_t> ScanJob::version_words(std::size_t version_index) const {
    return std::span(version_words_).subspan(version_index * version_stride_, version_stride_);
}

}  // namespace gpuminer
