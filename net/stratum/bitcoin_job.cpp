#include "net/stratum/bitcoin_job.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>

#include "cpu/sha256d64.hpp"
#include "host/block/bytes.hpp"

namespace gpuminer::net {
namespace {

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

JobParameters checked(JobParameters parameters) {
    if (parameters.extranonce1.size() > 16 || parameters.extranonce2_size < 1 || parameters.extranonce2_size > 8) {
        throw std::invalid_argument("an extranonce is outside its bounds");
    }
    return parameters;
}

}  // namespace

struct BitcoinJob::Prefix {
    Context context = new_context();  // only copied from
};

BitcoinJob::BitcoinJob(std::shared_ptr<const BitcoinNotify> notify, JobParameters parameters,
                       const StratumJob* continues)
    : StratumJob(notify, checked(std::move(parameters)), continues), notify_(std::move(notify)) {
    base_.set_version(notify_->version);
    base_.set_previous_hash(notify_->previous_hash);
    base_.set_time(notify_->time);
    base_.set_nbits(notify_->nbits);

    const auto prefix = std::make_shared<Prefix>();
    require(EVP_DigestInit_ex2(prefix->context.get(), sha256(), nullptr) == 1);
    update(prefix->context, notify_->coinbase1);
    update(prefix->context, this->parameters().extranonce1);
    prefix_ = prefix;
}

Bytes BitcoinJob::extranonce2_of(std::uint64_t number) const {
    std::array<std::uint8_t, 8> bytes{};
    store_le(bytes, parameters().first_extranonce2 + number);
    return {bytes.begin(), bytes.begin() + parameters().extranonce2_size};
}

// The double hash of the coinbase, folded with the branches; internal order.
Digest BitcoinJob::merkle_root(std::uint64_t number) const {
    const Context context = new_context();
    std::array<std::uint8_t, 64> pair{};
    require(EVP_MD_CTX_copy_ex(context.get(), prefix_->context.get()) == 1);
    update(context, extranonce2_of(number));
    update(context, notify_->coinbase2);
    require(EVP_DigestFinal_ex(context.get(), pair.data(), nullptr) == 1);
    require(EVP_Digest(pair.data(), 32, pair.data(), nullptr, sha256(), nullptr) == 1);
    for (const auto& branch : notify_->branches) {
        std::copy(branch.begin(), branch.end(), pair.begin() + 32);
        sha256d64(pair.data(), pair.data(), 1);
    }
    Digest root{};
    std::copy_n(pair.begin(), root.size(), root.begin());
    return root;
}

BlockHeader BitcoinJob::make_header(std::uint64_t number) const {
    BlockHeader header = base_;
    header.set_merkle_root(merkle_root(number));
    const unsigned bits = 8 * parameters().extranonce2_size;
    const std::uint64_t rounds = bits < 64 ? number >> bits : 0;
    header.set_time(notify_->time + static_cast<std::uint32_t>(rounds) + seconds_later());
    return header;
}

// Pools refuse a time that is too far from theirs (ckpool: 7000 s): a job is not to reach that by its age.
std::uint32_t BitcoinJob::seconds_later() const {
    constexpr std::int64_t kFresh = 60;
    constexpr std::int64_t kOldest = 6000;
    const std::int64_t seconds = age().count();
    return seconds > kFresh ? static_cast<std::uint32_t>(std::min(seconds, kOldest)) : 0;
}

Bytes BitcoinJob::coinbase_of(std::uint64_t number) const {
    Bytes bytes = notify_->coinbase1;
    for (const Bytes& part : {parameters().extranonce1, extranonce2_of(number), notify_->coinbase2})
        bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
}

}  // namespace gpuminer::net
