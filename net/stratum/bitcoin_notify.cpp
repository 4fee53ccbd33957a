#include "net/stratum/bitcoin_notify.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/stratum/notify_reader.hpp"

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

}  // namespace gpuminer::net
