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
TransactionIds transaction_ids(std::span<const std::uint8_t> transaction) {
    constexpr std::size_t kSequenceSize = 4;
    constexpr std::size_t kValueSize = 8;

    ByteReader reader(transaction);
    reader.skip(kVersionSize);
    const bool is_extended = reader.next_is(0);  // BIP 144: a marker in the place of the number of inputs
    if (is_extended) {
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
    const std::size_t body_to = reader.at();
    if (is_extended && !skip_witnesses(reader, inputs))
        throw NetworkError("it says that it has witnesses, but has none");
    const std::size_t lock_time_from = reader.at();
    reader.skip(kLockTimeSize);
    if (reader.left() != 0) throw NetworkError(fmt::format("{} bytes are left over after its end", reader.left()));

    TransactionIds ids;
    ids.wtxid = double_sha256_digest(transaction);
    if (!is_extended) {
        ids.txid = ids.wtxid;
        return ids;
    }
    Bytes stripped;
    stripped.reserve(kVersionSize + (body_to - body_from) + kLockTimeSize);
    append(stripped, transaction.first(kVersionSize));
    append(stripped, transaction.subspan(body_from, body_to - body_from));
    append(stripped, transaction.subspan(lock_time_from));
    ids.txid = double_sha256_digest(stripped);
    return ids;
}

}  // namespace gpuminer::net
