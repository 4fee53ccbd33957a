#include "net/bitcoin/coinbase.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/bitcoin/constants.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestInputScript = 100;  // consensus; and at least 2
constexpr std::uint8_t kOpReturn = 0x6a;
/// BIP 54 asks for an nSequence other than ffffffff, and for the height less one as nLockTime: the lock is then in
/// force, and open in the coinbase's own block on every chain. BIP 68 (relative locks) does not look at coinbases.
constexpr std::uint32_t kSequence = 0xfffffffe;

// Data of at most 75 bytes are pushed by their length alone; longer ones take OP_PUSHDATA1.
void append_push(Bytes& script, std::span<const std::uint8_t> data) {
    constexpr std::uint8_t kOpPushData1 = 0x4c;
    if (data.size() >= kOpPushData1) script.push_back(kOpPushData1);
    script.push_back(static_cast<std::uint8_t>(data.size()));
    append(script, data);
}

// BIP 141: OP_RETURN, a push of 36 bytes, the commitment's header and the commitment.
Bytes commitment_script(const Digest& commitment) {
    Bytes script = {kOpReturn, 0x24, 0xaa, 0x21, 0xa9, 0xed};
    append(script, commitment);
    return script;
}

void append_output(Bytes& out, std::uint64_t value, const Bytes& script) {
    append_little_endian(out, value, 8);
    append_compact_size(out, script.size());
    append(out, script);
}

struct InputScript {
    Bytes bytes;
    std::size_t extranonce_at = 0;
};

InputScript input_script(const CoinbaseParts& parts) {
    InputScript script{script_number(parts.height)};
    if (parts.extranonce_size != 0) {
        append_push(script.bytes, Bytes(parts.extranonce_size));
        script.extranonce_at = script.bytes.size() - parts.extranonce_size;
    }
    const std::size_t taken = script.bytes.size() + parts.flags.size();
    const Bytes signature(parts.signature.begin(), parts.signature.end());
    // One byte of the room pushes the signature; a longest one of 75 bytes needs no second.
    const std::size_t room = taken + 1 < kLongestInputScript ? kLongestInputScript - taken - 1 : 0;
    if (signature.size() > std::min<std::size_t>(room, 75)) {
        throw InputError(fmt::format("expected at most {} bytes of text for the coinbase, got {}",
                                     std::min<std::size_t>(room, 75), signature.size()));
    }
    if (!signature.empty()) append_push(script.bytes, signature);
    append(script.bytes, parts.flags);
    if (script.bytes.size() < 2 || script.bytes.size() > kLongestInputScript) {
        throw InputError(fmt::format("expected 2 to {} bytes as the coinbase's input script, got {}",
                                     kLongestInputScript, script.bytes.size()));
    }
    return script;
}

}  // namespace

Bytes script_number(std::uint64_t number) {
    if (number == 0) return {kOp0};
    if (number <= 16) return {static_cast<std::uint8_t>(kOp1 + number - 1)};
    Bytes digits;
    for (std::uint64_t rest = number; rest != 0; rest >>= 8) digits.push_back(static_cast<std::uint8_t>(rest));
    if ((digits.back() & 0x80) != 0) digits.push_back(0);  // else it would be a negative number
    Bytes script;
    append_push(script, digits);
    return script;
}

Coinbase::Coinbase(const CoinbaseParts& parts)
    : extranonce_size_(parts.extranonce_size), has_witness_(parts.witness_commitment.has_value()) {
    assert(parts.extranonce_size <= 8 && parts.height >= 1);
    const InputScript script = input_script(parts);
    append_little_endian(bytes_, 2, kVersionSize);
    append_compact_size(bytes_, 1);               // one input:
    append(bytes_, Digest{});                     // it spends nothing:
    append_little_endian(bytes_, 0xffffffff, 4);  // no output of no transaction
    append_compact_size(bytes_, script.bytes.size());
    extranonce_at_ = bytes_.size() + script.extranonce_at;
    append(bytes_, script.bytes);
    append_little_endian(bytes_, kSequence, 4);
    append_compact_size(bytes_, has_witness_ ? 2 : 1);
    append_output(bytes_, parts.value, parts.script);
    if (has_witness_) append_output(bytes_, 0, commitment_script(*parts.witness_commitment));
    append_little_endian(bytes_, parts.height - 1, kLockTimeSize);
}

Bytes Coinbase::without_witness(std::uint64_t extranonce) const {
    Bytes bytes = bytes_;
    store_le(std::span(bytes).subspan(extranonce_at_, extranonce_size_), extranonce);
    return bytes;
}

Bytes Coinbase::in_block(std::uint64_t extranonce) const {
    Bytes plain = without_witness(extranonce);
    if (!has_witness_) return plain;
    const std::span<const std::uint8_t> all(plain);
    Bytes bytes(all.begin(), all.begin() + kVersionSize);
    append(bytes, Bytes{0, 1});  // BIP 144: marker and flag
    append(bytes, all.subspan(kVersionSize, all.size() - kVersionSize - kLockTimeSize));
    append_compact_size(bytes, 1);  // BIP 141: the input's witness is one item, the reserved value
    append_compact_size(bytes, Digest{}.size());
    append(bytes, Digest{});
    append(bytes, all.last(kLockTimeSize));
    return bytes;
}

Digest Coinbase::txid(std::uint64_t extranonce) const { return double_sha256_digest(without_witness(extranonce)); }

void require_room_for(const std::string& signature) {
    CoinbaseParts parts;
    parts.height = 0x00ffffff;
    parts.signature = signature;
    (void)Coinbase(parts);
}

}  // namespace gpuminer::net
