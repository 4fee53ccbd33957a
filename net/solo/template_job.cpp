#include "net/solo/template_job.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/merkle.hpp"
#include "net/steady_time.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestScript = 10'000;  // consensus: longer ones cannot be spent

CoinbaseParts coinbase_parts(const BlockTemplate& block, const TemplateJobOptions& options) {
    if (options.script.empty() || options.script.size() > kLongestScript) {
        throw InputError(fmt::format("expected a coinbase output script of 1 to {} bytes, got {}", kLongestScript,
                                     options.script.size()));
    }
    if (options.extranonce_size > 8) {
        throw InputError(fmt::format("expected an extranonce of at most 8 bytes, got {}", options.extranonce_size));
    }
    CoinbaseParts parts;
    parts.height = block.height;
    parts.extranonce_size = options.extranonce_size;
    parts.signature = options.signature;
    parts.flags = block.coinbase_flags;
    parts.value = block.coinbase_value;
    parts.script = options.script;
    parts.witness_commitment = block.witness_commitment;
    return parts;
}

// All but the merkle root and the time.
BlockHeader blank_header(const BlockTemplate& block, std::uint32_t nbits) {
    BlockHeader header;
    header.set_version(block.version);
    header.set_previous_hash(internal_order(block.previous_hash));
    header.set_nbits(nbits);
    return header;
}

}  // namespace

JobClocks JobClocks::system() {
    return {[] { return std::chrono::floor<std::chrono::milliseconds>(steady_now().time_since_epoch()).count(); },
            [] { return unix_milliseconds() / 1000; }};
}

TemplateJob::TemplateJob(std::shared_ptr<const BlockTemplate> block_template, TemplateJobOptions options)
    : template_(std::move(block_template)),
      options_(std::move(options)),
      coinbase_(coinbase_parts(*template_, options_)),
      blank_(blank_header(*template_, options_.nbits.value_or(template_->nbits))),
      target_(target_from_nbits(blank_.nbits())),
      earliest_(std::max(template_->min_time, options_.earliest_time.value_or(0))),
      latest_(std::min(template_->max_time, options_.latest_time.value_or(0xffffffff))),
      made_at_(options_.clocks.steady_ms()) {
    if (earliest_ > latest_) {
        throw InputError(fmt::format("no time is left for a block: it must not be dated before {} nor after {}",
                                     earliest_, latest_));
    }
}

std::uint32_t TemplateJob::time_now() const {
    const std::int64_t given = template_->time;
    const std::int64_t aged = given + (options_.clocks.steady_ms() - made_at_) / 1000;
    const std::int64_t now = std::max(given, std::min(aged, options_.clocks.unix_time()));
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(now, earliest_, latest_));
}

BlockHeader TemplateJob::header(std::uint64_t index) const {
    BlockHeader header = blank_;
    header.set_merkle_root(merkle_root(coinbase_.txid(extranonce(index)), template_->coinbase_branch));
    header.set_time(time_now());
    return header;
}

std::uint32_t TemplateJob::version_mask() const {
    return kBip320Mask & ~template_->version & ~template_->deployment_bits;
}

std::string TemplateJob::block_hex(std::uint64_t index, const BlockHeader& header) const {
    if (header.merkle_root() !=
        display_order(merkle_root(coinbase_.txid(extranonce(index)), template_->coinbase_branch))) {
        throw std::invalid_argument("expected a header of this job, got one with another merkle root");
    }
    Bytes block(header.bytes.begin(), header.bytes.end());
    append_compact_size(block, 1 + template_->transactions.size());
    append(block, coinbase_.in_block(extranonce(index)));
    for (const TemplateTransaction& transaction : template_->transactions) append(block, transaction.data);
    return to_hex(block);
}

}  // namespace gpuminer::net
