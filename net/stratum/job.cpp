#include "net/stratum/job.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>

#include "cpu/sha256d64.hpp"
#include "host/block/bytes.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

// Numbers between the last header of a job and the first of the one that continues it: for devices that still take
// headers of the old one.
constexpr std::uint64_t kGap = 64;

// OpenSSL's functions fail for want of memory only.
void require(bool worked) {
    if (!worked) throw std::bad_alloc();
}

struct ContextDeleter {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

Context new_context() {
    Context context(EVP_MD_CTX_new());
    require(context != nullptr);
    return context;
}

const EVP_MD* sha256() {
    // Fetched once: OpenSSL 3 looks it up in each use otherwise, which takes longer than the hash.
    static const EVP_MD* const kSha256 = [] {
        const EVP_MD* found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
        require(found != nullptr);
        return found;
    }();
    return kSha256;
}

void update(const Context& context, std::span<const std::uint8_t> bytes) {
    require(EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1);
}

Hash256 block_target_of(std::uint32_t nbits) {
    try {
        return target_from_nbits(nbits);
    } catch (const InputError& error) {
        throw ProtocolError(std::string("mining.notify: ") + error.what());
    }
}

void check_parameters(const JobParameters& parameters) {
    if (parameters.extranonce1.size() > 16 || parameters.extranonce2_size < 1 || parameters.extranonce2_size > 8) {
        throw std::invalid_argument("an extranonce is outside its bounds");
    }
}

}  // namespace

struct StratumJob::Prefix {
    Context context = new_context();  // only copied from
};

std::optional<Hash256> share_target(double difficulty) {
    if (!std::isfinite(difficulty) || difficulty <= 0) return std::nullopt;
    return target_from_difficulty(difficulty);
}

StratumJob::StratumJob(StratumNotify notify, JobParameters parameters, const StratumJob* continues)
    : notify_(std::move(notify)), parameters_(std::move(parameters)), block_target_(block_target_of(notify_.nbits)) {
    check_parameters(parameters_);
    const std::optional<Hash256> target = share_target(parameters_.difficulty);
    if (!target) throw std::invalid_argument("a difficulty has to be positive");
    target_ = *target;
    if (parameters_.version_bits != VersionBits::kNone) {
        version_mask_ = parameters_.version_mask & kBip320Mask & ~notify_.version;
    }

    base_.set_version(notify_.version);
    base_.set_previous_hash(notify_.previous_hash);
    base_.set_time(notify_.time);
    base_.set_nbits(notify_.nbits);

    const auto prefix = std::make_shared<Prefix>();
    require(EVP_DigestInit_ex2(prefix->context.get(), sha256(), nullptr) == 1);
    update(prefix->context, notify_.coinbase1);
    update(prefix->context, parameters_.extranonce1);
    prefix_ = prefix;

    aged_from_ = parameters_.received;
    if (continues != nullptr) {
        aged_from_ = continues->aged_from_;
        made_ = continues->made_;
        first_ = std::max(made_->load(), continues->first_) + kGap;  // its first header may be yet to come
    } else {
        made_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    }
}

BlockHeader StratumJob::header(std::uint64_t index) const {
    const std::uint64_t number = first_ + index;
    std::uint64_t made = made_->load();
    while (made <= number && !made_->compare_exchange_weak(made, number + 1)) {
    }
    return header_with_root(number, merkle_root(number));
}

// Only the first `extranonce2_size` of them are part of it.
std::array<std::uint8_t, 8> StratumJob::extranonce2_bytes(std::uint64_t number) const {
    std::array<std::uint8_t, 8> bytes{};
    store_le(bytes, parameters_.first_extranonce2 + number);
    return bytes;
}

// The double hash of the coinbase, folded with the branches; internal order.
Digest StratumJob::merkle_root(std::uint64_t number) const {
    const Context context = new_context();
    const std::array<std::uint8_t, 8> extranonce2 = extranonce2_bytes(number);
    std::array<std::uint8_t, 64> pair{};
    require(EVP_MD_CTX_copy_ex(context.get(), prefix_->context.get()) == 1);
    update(context, std::span(extranonce2).first(parameters_.extranonce2_size));
    update(context, notify_.coinbase2);
    require(EVP_DigestFinal_ex(context.get(), pair.data(), nullptr) == 1);
    require(EVP_Digest(pair.data(), 32, pair.data(), nullptr, sha256(), nullptr) == 1);
    for (const auto& branch : notify_.branches) {
        std::copy(branch.begin(), branch.end(), pair.begin() + 32);
        sha256d64(pair.data(), pair.data(), 1);
    }
    Digest root{};
    std::copy_n(pair.begin(), root.size(), root.begin());
    return root;
}

BlockHeader StratumJob::header_with_root(std::uint64_t number, const Digest& root) const {
    BlockHeader header = base_;
    header.set_merkle_root(root);
    const unsigned bits = 8 * parameters_.extranonce2_size;
    const std::uint64_t rounds = bits < 64 ? number >> bits : 0;
    header.set_time(notify_.time + static_cast<std::uint32_t>(rounds) + seconds_later());
    return header;
}

// Pools refuse a time that is too far from theirs (ckpool: 7000 s): a job is not to reach that by its age.
std::uint32_t StratumJob::seconds_later() const {
    constexpr std::int64_t kFresh = 60;
    constexpr std::int64_t kOldest = 6000;
    if (!parameters_.clock) return 0;
    const std::int64_t age = std::chrono::duration_cast<std::chrono::seconds>(parameters_.clock() - aged_from_).count();
    return age > kFresh ? static_cast<std::uint32_t>(std::min(age, kOldest)) : 0;
}

std::string StratumJob::extranonce1() const { return to_hex(parameters_.extranonce1); }

std::string StratumJob::extranonce2(std::uint64_t index) const {
    const std::array<std::uint8_t, 8> bytes = extranonce2_bytes(first_ + index);
    return to_hex(std::span(bytes).first(parameters_.extranonce2_size));
}

Bytes StratumJob::coinbase(std::uint64_t index) const {
    const std::array<std::uint8_t, 8> extranonce2 = extranonce2_bytes(first_ + index);
    Bytes bytes = notify_.coinbase1;
    bytes.insert(bytes.end(), parameters_.extranonce1.begin(), parameters_.extranonce1.end());
    bytes.insert(bytes.end(), extranonce2.begin(), extranonce2.begin() + parameters_.extranonce2_size);
    bytes.insert(bytes.end(), notify_.coinbase2.begin(), notify_.coinbase2.end());
    return bytes;
}

StratumShare StratumJob::share(const JobHit& found) const {
    StratumShare share;
    share.job_id = notify_.id;
    share.extranonce2 = extranonce2(found.index);
    share.time = found.hit.header.time();
    share.nonce = found.hit.header.nonce();
    const std::uint32_t version = found.hit.header.version();
    share.version_bits_as = parameters_.version_bits;
    share.version_bits =
        share.version_bits_as == VersionBits::kMasked ? version & parameters_.version_mask : version ^ notify_.version;
    share.job_has_masked_bits = (notify_.version & parameters_.version_mask) != 0;
    share.extranonce1 = extranonce1();
    share.hash = found.hit.hash;
    share.difficulty = parameters_.difficulty;
    share.solves_block = found.hit.hash <= block_target_;
    if (share.solves_block) share.previous = found.hit.header.previous_hash();
    return share;
}

}  // namespace gpuminer::net
