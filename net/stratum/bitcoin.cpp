#include "net/stratum/bitcoin.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <nlohmann/json.hpp>

#include "cpu/batch/sha256d64.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBranches = 32;  // a block of 2^32 transactions

// Stratum gives the hash as eight words, each with its bytes in the opposite order of the header's.
Digest read_previous_hash(NotifyReader& reader) {
    Digest hash = reader.hash(reader.next("previous hash"));
    for (auto word = hash.begin(); word != hash.end(); word += 4) std::reverse(word, word + 4);
    return hash;
}

std::vector<Digest> read_branches(NotifyReader& reader) {
    const json& branches = reader.next("merkle branches");
    if (!branches.is_array()) reader.fail("a list");
    if (branches.size() > kMostBranches) reader.fail(fmt::format("at most {} hashes", kMostBranches));
    std::vector<Digest> read;
    for (const json& branch : branches) read.push_back(reader.hash(branch));
    return read;
}

}  // namespace

bool BitcoinNotify::same_work(const StratumNotify& other) const {
    const auto* same = dynamic_cast<const BitcoinNotify*>(&other);
    return same != nullptr && same_fields(other) && coinbase1 == same->coinbase1 && coinbase2 == same->coinbase2 &&
           branches == same->branches;
}

BitcoinNotify parse_bitcoin_notify(const json& params) {
    NotifyReader reader(params);
    BitcoinNotify notify;
    notify.id = reader.read_id();
    notify.previous_hash = read_previous_hash(reader);
    notify.coinbase1 = reader.bytes(reader.next("first part of the coinbase"));
    notify.coinbase2 = reader.bytes(reader.next("second part of the coinbase"));
    notify.branches = read_branches(reader);
    notify.version = reader.number(reader.next("version"));
    notify.nbits = reader.number(reader.next("nBits"));
    notify.time = reader.number(reader.next("time"));
    notify.clean = reader.read_clean(notify.odd_flag);
    notify.surplus = reader.surplus();
    return notify;
}

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
    const std::int64_t ahead = parameters().v2 ? 0 : kFurthestAhead;
    const std::int64_t most = std::max<std::int64_t>(ahead + age().count() - seconds_later(), 0);
    return rounds(number) <= static_cast<std::uint64_t>(most);
}

// A job is not to reach the bound by its age, either.
std::int64_t BitcoinJob::seconds_later() const {
    constexpr std::int64_t kFresh = 60;
    const bool has_rounds_for_it = parameters().extranonce2_size == 0 || parameters().bound_to_clock();
    const std::int64_t seconds = age().count();
    return seconds > kFresh && !has_rounds_for_it ? std::min(seconds, kFurthestAhead) : 0;
}

Bytes BitcoinJob::coinbase_of(std::uint64_t number) const {
    Bytes bytes = notify_->coinbase1;
    for (const Bytes& part : {parameters().extranonce1, extranonce2_of(number), notify_->coinbase2})
        bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
}

namespace {

using nlohmann::json;

std::optional<ShareWork> read_work(const json& params) {
    const std::optional<double> difficulty = read_difficulty(params);
    if (!difficulty) return std::nullopt;
    return ShareWork{*difficulty, std::nullopt};
}

SubscribeReply read_subscribe_reply(const StratumMessage& reply) {
    const json& result = reply.result;
    if (!result.is_array() || result.size() < 3) {
        throw ProtocolError("mining.subscribe: expected a list of three elements");
    }
    return {session_id(result[0]), read_extranonce("mining.subscribe", result[1], result[2])};
}

Extranonce read_set_extranonce(const json& params) {
    return read_extranonce("mining.set_extranonce", parameter(params, 0), parameter(params, 1));
}

std::shared_ptr<const StratumNotify> read_notify(const json& params) {
    return std::make_shared<const BitcoinNotify>(parse_bitcoin_notify(params));
}

std::shared_ptr<const StratumJob> make_job(const std::shared_ptr<const StratumNotify>& notify, JobParameters parameters,
                                           const StratumJob* continues) {
    return std::make_shared<const BitcoinJob>(std::dynamic_pointer_cast<const BitcoinNotify>(notify),
                                              std::move(parameters), continues);
}

// Where a pool has granted version rolling, it wants the bits of every share, even where there are none.
json submit_params(const std::string& user, const StratumShare& share, bool version_rolling) {
    json params = {user, share.job_id, share.extranonce2, hex8(share.time), hex8(share.nonce)};
    const bool with_bits = version_rolling && share.version_bits_as != VersionBits::kNone;
    if (with_bits || share.version_bits != 0) params.push_back(hex8(share.version_bits));
    return params;
}

}  // namespace

constinit const StratumDialect kBitcoinDialect{
    .configures = true,
    .suggests_difficulty = true,
    .set_work = "mining.set_difficulty",
    .bad_work = "a difficulty that is not a positive number",
    .default_work = ShareWork{.difficulty = 1, .target = {}},
    .read_work = read_work,
    .read_subscribe_reply = read_subscribe_reply,
    .read_set_extranonce = read_set_extranonce,
    .read_notify = read_notify,
    .make_job = make_job,
    .submit_params = submit_params,
};

}  // namespace gpuminer::net
