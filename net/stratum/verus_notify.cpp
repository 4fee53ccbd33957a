#include "net/stratum/verus_notify.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/notify_reader.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using verushash::HeaderFields;

// Without those that are left to the search.
Bytes read_solution(NotifyReader& reader) {
    constexpr std::size_t kMost = verushash::kSolutionBytes - verushash::kSearchedBytes;
    Bytes solution = reader.bytes(reader.next("solution"));
    if (solution.size() > verushash::kSolutionBytes)
        reader.fail(fmt::format("at most {} bytes", verushash::kSolutionBytes));
    solution.resize(std::min(solution.size(), kMost));
    return solution;
}

}  // namespace

bool VerusNotify::same_work(const StratumNotify& other) const {
    const auto* same = dynamic_cast<const VerusNotify*>(&other);
    return same != nullptr && header == same->header;
}

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

}  // namespace gpuminer::net
