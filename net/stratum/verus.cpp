// Verus' dialect of Stratum: the parameters of mining.notify, and jobs made of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/message.hpp"
#include "verushash/algorithm.hpp"
#include "verushash/block.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using verushash::Header;
using verushash::HeaderFields;

struct VerusNotify final : StratumNotify {
    /// With all that the pool gave in its place; the field nonce and the last 15 bytes are zero.
    Header header;

    [[nodiscard]] bool same_work(const StratumNotify& other) const override;
};

// Without those that are left to the search.
Bytes read_solution(NotifyReader& reader) {
    constexpr std::size_t kMost = verushash::kSolutionBytes - verushash::kSearchedBytes;
    Bytes solution = reader.bytes(reader.next("solution"));
    if (solution.size() > verushash::kSolutionBytes)
        reader.fail(fmt::format("at most {} bytes", verushash::kSolutionBytes));
    solution.resize(std::min(solution.size(), kMost));
    return solution;
}

bool VerusNotify::same_work(const StratumNotify& other) const {
    const auto* same = dynamic_cast<const VerusNotify*>(&other);
    return same != nullptr && header == same->header;
}

/// [job, version, previous hash, merkle root, Sapling root, time, nBits, clean, solution]: bytes in hex, in the order
/// that they have in a header. At the solution's end pools leave out what is zero. Source: the pool's own code,
/// github.com/hellcatz/node-stratum-pool, lib/blockTemplate.js. Throws ProtocolError naming the parameter that is
/// wrong.
VerusNotify parse_verus_notify(const json& params) {
    NotifyReader reader(params);
    VerusNotify notify;
    HeaderFields fields;
    notify.id = reader.read_id();
    fields.version = notify.version = load_le32(reader.word(reader.next("version")));
    fields.previous_hash = notify.previous_hash = reader.hash(reader.next("previous hash"));
    fields.merkle_root = reader.hash(reader.next("merkle root"));
    fields.sapling_root = reader.hash(reader.next("Sapling root"));
    fields.time = notify.time = load_le32(reader.word(reader.next("time")));
    fields.nbits = notify.nbits = load_le32(reader.word(reader.next("nBits")));
    notify.clean = reader.read_clean(notify.odd_flag);
    const Bytes solution = read_solution(reader);
    notify.surplus = reader.surplus();
    try {
        notify.header = verushash::make_header(fields, solution);
    } catch (const InputError& error) {
        throw ProtocolError(fmt::format("mining.notify: {}", error.what()));
    }
    return notify;
}

/// Bytes: so that three of extranonce2 are left behind it (below), which make 2^24 headers of 2^32 hashes.
constexpr std::size_t kLongestVerusExtranonce1 = 8;

/// Of the 15 bytes that a solution leaves to the search the first four are the nonce; then come extranonce1, which
/// pools look for there, and the beginning of extranonce2. Together extranonce1 and extranonce2 are also the header's
/// field nonce, as pools wanted it before solutions of version 7.
///
/// From version 7 on several chains are mined together: what is a header's own, and the pool does not tell all of it,
/// is zero in what is hashed. The share has the roots in the solution as the pool gave them. The time is always the
/// pool's, which takes no other.
class VerusPoolJob final : public StratumJob {
public:
    /// As StratumJob(); extranonce1 of 0 to 8 bytes, together with extranonce2 32.
    VerusPoolJob(std::shared_ptr<const VerusNotify> notify, JobParameters parameters,
                 const StratumJob* continues = nullptr);

private:
    [[nodiscard]] BlockHeader make_header(std::uint64_t number) const override;
    /// Those whose extranonce2 differs in what the solution has of it.
    [[nodiscard]] bool is_due(std::uint64_t number) const override;
    [[nodiscard]] Bytes extranonce2_of(std::uint64_t number) const override;
    void complete(StratumShare& share, const BlockHeader& found) const override;

    const std::shared_ptr<const VerusNotify> notify_;
    const bool shared_;  ///< with other chains
};

constexpr std::uint32_t kFirstSharedVersion = 7;  ///< of solutions, from which on pools give their own nonce

JobParameters in_bounds(JobParameters parameters) {
    const std::size_t size = parameters.extranonce1.size();
    if (size > kLongestVerusExtranonce1 || size + parameters.extranonce2_size != verushash::kNonceFieldBytes)
        throw std::invalid_argument("an extranonce is outside its bounds");
    return parameters;
}

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

// Of mining.set_target: 64 hex digits in display order. Difficulties count as everywhere, against Bitcoin's.
std::optional<ShareWork> read_target(const json& params) {
    const json& value = parameter(params, 0);
    if (!value.is_string()) return std::nullopt;
    const auto& digits = value.get_ref<const std::string&>();
    if (digits.size() != 64 || !is_hex(digits)) return std::nullopt;
    const Hash256 target = target_from_hex(digits);
    if (target == Hash256{}) return std::nullopt;
    return ShareWork{difficulty_of(target), target};
}

// The pool's part of the header's nonce; ours is the rest.
Extranonce read_nonce1(const char* where, const json& value) {
    if (!value.is_string()) throw ProtocolError(fmt::format("{}: expected a text as nonce1", where));
    const auto& digits = value.get_ref<const std::string&>();
    if (digits.size() > 2 * kLongestVerusExtranonce1 || digits.size() % 2 != 0 || !is_hex(digits)) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} bytes in hex as nonce1, got {}", where,
                                        kLongestVerusExtranonce1, quoted_text(digits)));
    }
    Extranonce extranonce;
    extranonce.extranonce1.resize(digits.size() / 2);
    decode_hex(digits, extranonce.extranonce1);
    extranonce.extranonce2_size = static_cast<unsigned>(verushash::kNonceFieldBytes - extranonce.extranonce1.size());
    return extranonce;
}

// [session or null, nonce1]; no session is resumed.
SubscribeReply read_subscription(const StratumMessage& reply) {
    const json& result = reply.result;
    if (!result.is_array() || result.size() < 2) {
        throw ProtocolError("mining.subscribe: expected a list of two elements");
    }
    return {"", read_nonce1("mining.subscribe", result[1])};
}

Extranonce read_new_nonce1(const json& params) { return read_nonce1("mining.set_extranonce", parameter(params, 0)); }

std::shared_ptr<const StratumNotify> read_verus_notify(const json& params) {
    constexpr std::size_t kBranches = 4;  // Bitcoin's jobs alone have a list in between
    if (params.is_array() && params.size() > kBranches && params[kBranches].is_array())
        throw OtherAlgorithmError("this pool's jobs are Bitcoin's (SHA-256d), but --algorithm is verushash");
    return std::make_shared<const VerusNotify>(parse_verus_notify(params));
}

std::shared_ptr<const StratumJob> make_verus_job(const std::shared_ptr<const StratumNotify>& notify,
                                                 JobParameters parameters, const StratumJob* continues) {
    return std::make_shared<const VerusPoolJob>(std::dynamic_pointer_cast<const VerusNotify>(notify),
                                                std::move(parameters), continues);
}

json verus_submit_params(const std::string& user, const StratumShare& share, bool /*version_rolling*/) {
    Bytes time(4);
    store_le32(time, 0, share.time);
    return {user, share.job_id, to_hex(time), share.extranonce2, share.solution};
}

}  // namespace

constinit const StratumDialect kVerusDialect{
    .configures = false,
    .suggests_difficulty = false,
    .set_work = "mining.set_target",
    .bad_work = "a target that is not 64 hex digits, or zero",
    .default_work = std::nullopt,
    .read_work = read_target,
    .read_subscribe_reply = read_subscription,
    .read_set_extranonce = read_new_nonce1,
    .read_notify = read_verus_notify,
    .make_job = make_verus_job,
    .submit_params = verus_submit_params,
};

}  // namespace gpuminer::net
