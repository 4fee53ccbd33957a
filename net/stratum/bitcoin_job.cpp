#include "net/stratum/bitcoin_job.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>

#include "cpu/batch/sha256d64.hpp"
#include "host/text/bytes.hpp"
#include "net/stratum/values.hpp"

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

// Seconds. Pools refuse a time that is too far from theirs (ckpool: 7000 s).
constexpr std::int64_t kFurthestAhead = 6000;

JobParameters checked(JobParameters parameters) {
    if (parameters.extranonce1.size() > kLongestExtranonce || parameters.extranonce2_size > kLongestExtranonce) {
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
    Bytes bytes(parameters().extranonce2_size);
    const std::size_t counted = std::min(bytes.size(), sizeof(number));
    store_le(std::span(bytes).first(counted), parameters().first_extranonce2 + number);
    return bytes;
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
    header.set_time(notify_->time + static_cast<std::uint32_t>(rounds(number)) +
                    static_cast<std::uint32_t>(seconds_later()));
    return header;
}

// Over all values of extranonce2, of which there is one where it has no bytes.
std::uint64_t BitcoinJob::rounds(std::uint64_t number) const {
    const unsigned bits = 8 * parameters().extranonce2_size;
    return bits < 64 ? number >> bits : 0;
}

bool BitcoinJob::is_due(std::uint64_t number) const {
    const std::int64_t most = std::max<std::int64_t>(kFurthestAhead + age().count() - seconds_later(), 0);
    return rounds(number) <= static_cast<std::uint64_t>(most);
}

// A job is not to reach the bound by its age, either.
std::int64_t BitcoinJob::seconds_later() const {
    constexpr std::int64_t kFresh = 60;
    const std::int64_t seconds = age().count();
    return seconds > kFresh && parameters().extranonce2_size > 0 ? std::min(seconds, kFurthestAhead) : 0;
}

Bytes BitcoinJob::coinbase_of(std::uint64_t number) const {
    Bytes bytes = notify_->coinbase1;
    for (const Bytes& part : {parameters().extranonce1, extranonce2_of(number), notify_->coinbase2})
        bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
}

}  // namespace gpuminer::net
