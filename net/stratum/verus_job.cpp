#include "net/stratum/verus_job.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "verushash/algorithm.hpp"

namespace gpuminer::net {
namespace {

using verushash::Header;

constexpr std::uint32_t kFirstSharedVersion = 7;  ///< of solutions, from which on pools give their own nonce

JobParameters in_bounds(JobParameters parameters) {
    const std::size_t size = parameters.extranonce1.size();
    if (size > kLongestVerusExtranonce1 || size + parameters.extranonce2_size != verushash::kNonceFieldBytes)
        throw std::invalid_argument("an extranonce is outside its bounds");
    return parameters;
}

}  // namespace

VerusPoolJob::VerusPoolJob(std::shared_ptr<const VerusNotify> notify, JobParameters parameters,
                           const StratumJob* continues)
    : StratumJob(notify, in_bounds(std::move(parameters)), continues),
      notify_(std::move(notify)),
      shared_(notify_->header.solution_version() >= kFirstSharedVersion && notify_->header.chains() > 0) {}

bool VerusPoolJob::is_due(std::uint64_t number) const {
    const std::size_t bits = 8 * (verushash::kSearchedBytes - sizeof(std::uint32_t) - parameters().extranonce1.size());
    return bits >= 64 || number >> bits == 0;
}

Bytes VerusPoolJob::extranonce2_of(std::uint64_t number) const {
    Bytes bytes(parameters().extranonce2_size);
    store_le(std::span(bytes).first(8), parameters().first_extranonce2 + number);
    return bytes;
}

BlockHeader VerusPoolJob::make_header(std::uint64_t number) const {
    Bytes nonce = parameters().extranonce1;
    const Bytes extranonce2 = extranonce2_of(number);
    nonce.insert(nonce.end(), extranonce2.begin(), extranonce2.end());

    Header header = notify_->header;
    std::ranges::copy(nonce, header.nonce_field().begin());
    const auto searched = header.searched().subspan(sizeof(std::uint32_t));
    std::copy_n(nonce.begin(), searched.size(), searched.begin());
    if (shared_) header = verushash::without_own_fields(header);

    BlockHeader general(kVerusHash);
    std::ranges::copy(header.bytes, general.bytes.begin());
    return general;
}

void VerusPoolJob::complete(StratumShare& share, const BlockHeader& found) const {
    Header header;
    std::ranges::copy(found.bytes, header.bytes.begin());
    std::ranges::copy(notify_->header.mmr_roots(), header.mmr_roots().begin());
    share.solution = to_hex(header.sized_solution());
}

}  // namespace gpuminer::net
