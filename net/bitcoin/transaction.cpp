#include "net/bitcoin/transaction.hpp"

#include <fmt/format.h>

#include "host/errors.hpp"

namespace gpuminer::net {
namespace {

// Skips the witnesses of `inputs` inputs; false where all are empty.
bool skip_witnesses(ByteReader& reader, std::uint64_t inputs) {
    bool any = false;
    for (std::uint64_t input = 0; input < inputs; ++input) {
        const std::uint64_t items = reader.compact_size();
        any |= items != 0;
        for (std::uint64_t item = 0; item < items; ++item) reader.skip_counted();
    }
    return any;
}

}  // namespace

// Every count is bounded by the bytes that are there, as each thing counted takes at least one of them.
TransactionParts read_transaction(ByteReader& reader) {
    constexpr std::size_t kSequenceSize = 4;
    constexpr std::size_t kValueSize = 8;

    const std::size_t from = reader.at();
    TransactionParts parts;
    parts.version = reader.take(kVersionSize);
    parts.is_extended = reader.next_is(0);  // BIP 144: a marker in the place of the number of inputs
    if (parts.is_extended) {
        reader.skip(1);
        if (!reader.next_is(1)) throw NetworkError("it has no inputs, or a flag that BIP 144 does not know");
        reader.skip(1);
    }
    const std::size_t body_from = reader.at();
    const std::uint64_t inputs = reader.compact_size();
    if (inputs == 0) throw NetworkError("it has no inputs");
    for (std::uint64_t input = 0; input < inputs; ++input) {
        reader.skip(kOutpointSize);
        reader.skip_counted();
        reader.skip(kSequenceSize);
    }
    const std::uint64_t outputs = reader.compact_size();
    for (std::uint64_t output = 0; output < outputs; ++output) {
        reader.skip(kValueSize);
        reader.skip_counted();
    }
    parts.body = reader.since(body_from);
    if (parts.is_extended && !skip_witnesses(reader, inputs))
        throw NetworkError("it is marked as having witnesses, but has none");
    parts.lock_time = reader.take(kLockTimeSize);
    parts.whole = reader.since(from);
    return parts;
}

Bytes TransactionParts::without_witness() const {
    Bytes stripped;
    stripped.reserve(version.size() + body.size() + lock_time.size());
    append(stripped, version);
    append(stripped, body);
    append(stripped, lock_time);
    return stripped;
}

TransactionIds TransactionParts::ids() const {
    const Digest wtxid = double_sha256_digest(whole);
    return {is_extended ? double_sha256_digest(without_witness()) : wtxid, wtxid};
}

TransactionIds transaction_ids(std::span<const std::uint8_t> transaction) {
    ByteReader reader(transaction);
    const TransactionParts parts = read_transaction(reader);
    if (reader.left() != 0) throw NetworkError(fmt::format("{} bytes are left over after its end", reader.left()));
    return parts.ids();
}

}  // namespace gpuminer::net
