#include "kernel/sha256d_job.hpp"

#include <stdexcept>

#include "kernel/header_words.hpp"
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

word constant(word value) { return value; }

// The host's share of the printed programs, one function a stage.

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

Sha256dJob::Sha256dJob(std::span<const std::uint8_t> header, std::span<const std::uint32_t> versions,
                       std::uint32_t target_top)
    : ScanJob(versions, target_top) {
    if (header.size() != 80) throw std::invalid_argument("a job for SHA-256d needs a header of 80 bytes");
    tail_ = tail_of(header.data());
    for (const std::uint32_t version : versions) midstates_.push_back(midstate_of(header.data(), version));
    if (!rolled()) {
        job_words_.resize(kFixedJobWords);
        write_fixed_job_words(midstates_.front(), tail_, job_words_.data());
        return;
    }
    rolled_job(tail_, job_words_);
    version_stride_ = kRolledVersionWords;
    version_words_.resize(versions.size() * version_stride_);
    for (std::size_t i = 0; i < versions.size(); ++i) {
        rolled_version(midstates_[i], job_words_, &version_words_[i * version_stride_]);
    }
}

std::span<const std::uint32_t> Sha256dJob::version_words(std::size_t version_index) const {
    return std::span(version_words_).subspan(version_index * version_stride_, version_stride_);
}

}  // namespace gpuminer
