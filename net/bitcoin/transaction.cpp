#include "net/bitcoin/transaction.hpp"

#include <fmt/format.h>

#include "host/errors.hpp"

namespace gpuminer::net {
namespace {

// Walks through a serialised transaction.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> data) : data_(data) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t left() const { return data_.size() - at_; }
    [[nodiscard]] bool next_is(std::uint8_t byte) const { return left() > 0 && data_[at_] == byte; }

    void skip(std::uint64_t count) {
        if (count > left()) throw NetworkError("it is cut off");
        at_ += count;
    }
    void skip_counted() { skip(compact_size()); }

    std::uint64_t compact_size() {
        const std::uint64_t first = little_endian(1);
        if (first < 0xfd) return first;
        const std::size_t size = std::size_t{2} << (first - 0xfd);
        const std::uint64_t value = little_endian(size);
        const std::uint64_t smallest = size == 2 ? 0xfd : std::uint64_t{1} << (4 * size);
        if (value < smallest) throw NetworkError("a count in it is written longer than need be");
        return value;
    }

private:
    std::uint64_t little_endian(std::size_t size) {
        const std::size_t from = at_;
        skip(size);
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{data_[from + i]} << (8 * i);
        return value;
    }

    std::span<const std::uint8_t> data_;
    std::size_t at_ = 0;
};

// Skips the witnesses of `inputs` inputs; false where all are empty.
bool skip_witnesses(Reader& reader, std::uint64_t inputs) {
    bool any = false;
    for (std::uint64_t input = 0; input < inputs; ++input) {
        const std::uint64_t items = reader.compact_size();
        any |= items != 0;
        for (std::uint64_t item = 0; item < items; ++item) reader.skip_counted();
    }
    return any;
}

}  // namespace

void append(Bytes& out, std::span<const std::uint8_t> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void append_little_endian(Bytes& out, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void append_compact_size(Bytes& out, std::uint64_t value) {
    if (value < 0xfd) return append_little_endian(out, value, 1);
    const unsigned power = value <= 0xffff ? 1 : value <= 0xffffffff ? 2 : 3;  // 2^power bytes
    out.push_back(static_cast<std::uint8_t>(0xfc + power));
    append_little_endian(out, value, std::size_t{1} << power);
}

// Every count is bounded by the bytes that are there, as each thing counted takes at least one of them.
TransactionIds transaction_ids(std::span<const std::uint8_t> transaction) {
    constexpr std::size_t kVersionSize = 4;
    constexpr std::size_t kLockTimeSize = 4;
    constexpr std::size_t kOutpointSize = 36;
    constexpr std::size_t kSequenceSize = 4;
    constexpr std::size_t kValueSize = 8;

    Reader reader(transaction);
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
