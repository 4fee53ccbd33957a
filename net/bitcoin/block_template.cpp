#include "net/bitcoin/block_template.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/constants.hpp"
#include "net/bitcoin/merkle.hpp"
#include "net/bitcoin/template_fields.hpp"

namespace gpuminer::net {
namespace {

constexpr std::int64_t kLargestU32 = 0xffffffff;
constexpr std::int64_t kAllMoney{kMaxMoney};
constexpr std::size_t kLargestBlock = 4'000'000;  // bytes: what a weight of 4,000,000 allows (BIP 141)
constexpr std::size_t kSmallestTransaction = 60;
constexpr std::size_t kLongestText = 4096;
constexpr const char* kTemplate = "the node's block template";

/// For what is information only: where it is not as it should be ("vbavailable": []), the template is as good without.
template <typename Read>
void read_if_usable(const Read& read) {
    try {
        read();
    } catch (const NetworkError&) {  // as if it were not there
    }
}

std::uint32_t read_u32(const TemplateFields& fields, const char* name, std::int64_t least = 0) {
    return static_cast<std::uint32_t>(fields.number(name, least, kLargestU32));
}

// Core writes the version as a signed number.
std::uint32_t read_version(const TemplateFields& fields) {
    return static_cast<std::uint32_t>(fields.number("version", std::int64_t{-1} << 31, kLargestU32));
}

void read_target(const TemplateFields& fields, BlockTemplate& block) {
    try {
        block.nbits = nbits_from_hex(fields.text("bits", kLongestText));
        block.target = target_from_nbits(block.nbits);
    } catch (const InputError& error) {
        throw NetworkError(fmt::format("{}: 'bits': {}", kTemplate, error.what()));
    }
    if (fields.has("target") && fields.hash("target") != block.target) {
        throw NetworkError(fmt::format("{}: its target {} does not match its bits {:08x}", kTemplate,
                                       fields.hash("target").hex(), block.nbits));
    }
}

void read_times(const TemplateFields& fields, BlockTemplate& block) {
    block.time = read_u32(fields, "curtime");
    if (fields.has("mintime")) block.min_time = read_u32(fields, "mintime");
    if (fields.has("maxtime")) block.max_time = read_u32(fields, "maxtime");
    if (fields.has("mutable")) {  // BIP 23: what the miner may change
        const nlohmann::json& names = fields.array("mutable", 100);
        if (std::find(names.begin(), names.end(), "time") == names.end()) block.min_time = block.max_time = block.time;
    }
    if (block.min_time > block.max_time) {
        throw NetworkError(
            fmt::format("{}: its mintime {} is later than its maxtime {}", kTemplate, block.min_time, block.max_time));
    }
    block.time = std::clamp(block.time, block.min_time, block.max_time);
}

// BIP 9: a rule with a "!" forbids mining to who does not know it. Those of this list change nothing but what is read
// here: segwit the commitment, signet the challenge, the others only which transactions the node picks.
void read_rules(const TemplateFields& fields, BlockTemplate& block) {
    static constexpr std::array<std::string_view, 4> kKnownRules = {"csv", "segwit", "signet", "taproot"};
    if (!fields.has("rules")) return;
    for (const nlohmann::json& rule : fields.array("rules", 100)) {
        if (!rule.is_string()) fields.fail("rules", "a list of texts", rule);
        std::string name = rule.get<std::string>();
        if (name.starts_with('!')) {
            name.erase(0, 1);
            if (std::find(kKnownRules.begin(), kKnownRules.end(), name) == kKnownRules.end()) {
                throw NetworkError(
                    fmt::format("{} follows the rule {}, which this version of gpuminer does not know: "
                                "it must not mine for this node",
                                kTemplate, quoted_text(name)));
            }
        }
        block.rules.push_back(std::move(name));
    }
}

// Which bits are deployments': rolled or not, a block is valid.
void read_deployments(const TemplateFields& fields, BlockTemplate& block) {
    if (fields.has("vbrequired")) read_if_usable([&] { block.deployment_bits = read_u32(fields, "vbrequired"); });
    if (!fields.has("vbavailable")) return;
    read_if_usable([&] {
        const nlohmann::json& all = fields.object("vbavailable", 100);
        const TemplateFields bits(all, fmt::format("{}: 'vbavailable'", kTemplate));
        for (const auto& deployment : all.items()) {
            read_if_usable(
                [&] { block.deployment_bits |= std::uint32_t{1} << bits.number(deployment.key().c_str(), 0, 31); });
        }
    });
}

// As nodes of eCash and its kin have them beside coinbasevalue: objects (minerfund, stakingrewards) with a least value.
std::string demanded_outputs(const nlohmann::json& coinbase) {
    std::string names;
    if (!coinbase.is_object()) return names;
    for (const auto& [name, demand] : coinbase.items()) {
        if (!demand.is_object() || demand.empty()) continue;
        const auto least = demand.find("minimumvalue");
        if (least != demand.end() && *least == 0) continue;
        names += (names.empty() ? "" : ", ") + printable_ascii(name, 40);
    }
    return printable_ascii(names, 200);
}

void read_coinbase(const TemplateFields& fields, BlockTemplate& block) {
    if (!fields.has("coinbasevalue") && fields.has("coinbasetxn")) {
        throw NetworkError(
            fmt::format("{} contains the node's own coinbase (coinbasetxn) instead of the value of one "
                        "(coinbasevalue), so that no other address can be paid",
                        kTemplate));
    }
    if (const std::string names = fields.has("coinbasetxn") ? demanded_outputs(fields.at("coinbasetxn")) : "";
        !names.empty()) {
        throw NetworkError(fmt::format(
            "{} requires coinbase outputs ({}) that gpuminer does not support: the node would refuse such blocks",
            kTemplate, names));
    }
    block.coinbase_value = static_cast<std::uint64_t>(fields.number("coinbasevalue", 0, kAllMoney));
    if (!fields.has("coinbaseaux")) return;
    read_if_usable([&] {  // BIP 22: should be included
        const nlohmann::json& all = fields.object("coinbaseaux", 100);
        const TemplateFields aux(all, fmt::format("{}: 'coinbaseaux'", kTemplate));
        for (const auto& entry : all.items()) {
            read_if_usable([&] { append(block.coinbase_flags, aux.bytes(entry.key().c_str(), 100)); });
        }
    });
}

std::string transaction_name(std::size_t number) { return fmt::format("{}: transaction {}", kTemplate, number); }

// BIP 145: `txid` and `hash`, with and without the witness; older nodes give the first alone and call it `hash`.
void check_ids(const TemplateFields& fields, const TransactionIds& ids, std::size_t number) {
    const auto demand = [&](const char* name, const Digest& digest) {
        if (fields.hash(name) == display_order(digest)) return;
        throw NetworkError(fmt::format("{}: its data have the {} {}, but the node says {}", transaction_name(number),
                                       name, display_order(digest).hex(), fields.hash(name).hex()));
    };
    const bool both = fields.has("txid");
    if (both) demand("txid", ids.txid);
    if (fields.has("hash") || !both) demand("hash", both ? ids.wtxid : ids.txid);
}

void read_transactions(const TemplateFields& fields, BlockTemplate& block) {
    std::size_t size = 0;
    std::optional<std::uint64_t> fees = 0;
    for (const nlohmann::json& entry : fields.array("transactions", kLargestBlock / kSmallestTransaction)) {
        const std::size_t number = block.transactions.size() + 1;
        const TemplateFields transaction(entry, transaction_name(number));
        TemplateTransaction read;
        read.data = transaction.bytes("data", kLargestBlock);
        try {
            read.ids = transaction_ids(read.data);
        } catch (const NetworkError& error) {
            throw NetworkError(
                fmt::format("{} is not serialised correctly: {}", transaction_name(number), error.what()));
        }
        check_ids(transaction, read.ids, number);
        std::optional<std::uint64_t> fee;
        if (transaction.has("fee"))
            read_if_usable([&] { fee = static_cast<std::uint64_t>(transaction.number("fee", 0, kAllMoney)); });
        fees = fees && fee ? std::optional(*fees + *fee) : std::nullopt;
        size += read.data.size();
        if (size > kLargestBlock) {
            throw NetworkError(fmt::format("{}: its transactions have more than {} bytes", kTemplate, kLargestBlock));
        }
        block.transactions.push_back(std::move(read));
    }
    block.fees = fees;
    std::vector<Digest> txids;
    for (const TemplateTransaction& transaction : block.transactions) txids.push_back(transaction.ids.txid);
    block.coinbase_branch = merkle_branch(txids);
}

// BIP 141: of the wtxids, the coinbase's being zero, and a reserved value of 32 zero bytes.
Digest commitment_of(const std::vector<TemplateTransaction>& transactions) {
    std::vector<Digest> wtxids;
    for (const TemplateTransaction& transaction : transactions) wtxids.push_back(transaction.ids.wtxid);
    const std::array<Digest, 2> both = {merkle_root(Digest{}, merkle_branch(wtxids)), Digest{}};
    return double_sha256_digest({both[0].data(), sizeof both});
}

// Core gives the output's script, before segwit is in force, too; btcd the commitment alone, and that only where a
// transaction has a witness.
void read_witness_commitment(const TemplateFields& fields, BlockTemplate& block) {
    static constexpr const char* kName = "default_witness_commitment";
    const bool any_witness = std::any_of(block.transactions.begin(), block.transactions.end(),
                                         [](const TemplateTransaction& t) { return t.ids.has_witness(); });
    const bool has_segwit =
        !fields.has("rules") || std::find(block.rules.begin(), block.rules.end(), "segwit") != block.rules.end();
    if (!any_witness && (!fields.has(kName) || !has_segwit)) return;
    block.witness_commitment = commitment_of(block.transactions);
    if (!fields.has(kName)) return;
    Bytes given = fields.bytes(kName, kLongestText);
    const Bytes head = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
    const bool is_script = given.size() == head.size() + 32 && std::equal(head.begin(), head.end(), given.begin());
    if (is_script) given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(head.size()));
    if (!std::equal(given.begin(), given.end(), block.witness_commitment->begin(), block.witness_commitment->end())) {
        fields.fail(kName, fmt::format("the commitment to its transactions, {},", to_hex(*block.witness_commitment)),
                    fields.at(kName));
    }
}

}  // namespace

BlockTemplate parse_block_template(const nlohmann::json& result) {
    const TemplateFields fields(result, kTemplate);
    BlockTemplate block;
    read_rules(fields, block);
    block.version = read_version(fields);
    block.previous_hash = fields.hash("previousblockhash");
    block.height = static_cast<std::uint32_t>(fields.number("height", 1, 0x7fffffff));
    read_target(fields, block);
    read_times(fields, block);
    read_coinbase(fields, block);
    read_transactions(fields, block);
    read_witness_commitment(fields, block);
    read_deployments(fields, block);
    if (fields.has("signet_challenge")) block.signet_challenge = fields.bytes("signet_challenge", 10'000);
    if (fields.has("longpollid"))  // without it the node is asked every few seconds
        read_if_usable([&] { block.long_poll_id = fields.text("longpollid", kLongestText); });
    if (fields.has("workid")) block.work_id = fields.text("workid", kLongestText);
    if (fields.has("noncerange") && fields.at("noncerange") != "00000000ffffffff") {
        fields.fail("noncerange", "all nonces, 00000000ffffffff,", fields.at("noncerange"));
    }
    return block;
}

}  // namespace gpuminer::net
