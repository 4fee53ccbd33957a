#include "net/stratum/notify.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestJobId = 256;
constexpr std::size_t kMostBranches = 32;  // a block of 2^32 transactions

// The parameters, one after another, each with a name for messages.
class Reader {
public:
    explicit Reader(const json& params) : params_(params) {}

    const json& next(const char* name) {
        static const json kNull;
        name_ = name;
        const std::size_t at = at_++;
        return params_.is_array() && at < params_.size() ? params_[at] : kNull;
    }
    [[noreturn]] void fail(std::string_view expected) const {
        throw ProtocolError(fmt::format("mining.notify: expected {} as {}", expected, name_));
    }
    const std::string& text(const json& value) const {
        if (!value.is_string()) fail("a text");
        return value.get_ref<const std::string&>();
    }
    Bytes bytes(const json& value) const {
        const std::string& digits = text(value);
        try {
            require_hex_digits(digits, "hex");
        } catch (const InputError&) {
            fail("hex digits");
        }
        if (digits.size() % 2 != 0) fail("an even number of hex digits");
        Bytes out(digits.size() / 2);
        decode_hex(digits, out);
        return out;
    }
    Digest hash(const json& value) const {
        const Bytes raw = bytes(value);
        Digest out{};
        if (raw.size() != out.size()) fail("64 hex digits");
        std::copy(raw.begin(), raw.end(), out.begin());
        return out;
    }
    std::uint32_t word(const json& value) const {
        const Bytes raw = bytes(value);
        if (raw.size() != 4) fail("8 hex digits");
        return load_be32(raw);
    }

private:
    const json& params_;
    std::size_t at_ = 0;
    const char* name_ = "";
};

std::string read_id(Reader& reader) {
    const json& value = reader.next("job id");
    std::string id = value.is_number_integer() ? value.dump() : reader.text(value);
    if (id.size() > kLongestJobId) reader.fail(fmt::format("at most {} bytes", kLongestJobId));
    return id;
}

// Stratum gives the hash as eight words, each with its bytes in the opposite order of the header's.
Digest read_previous_hash(Reader& reader) {
    Digest hash = reader.hash(reader.next("previous hash"));
    for (auto word = hash.begin(); word != hash.end(); word += 4) std::reverse(word, word + 4);
    return hash;
}

void read_branches(Reader& reader, StratumNotify& notify) {
    const json& branches = reader.next("merkle branches");
    if (!branches.is_array()) reader.fail("a list");
    if (branches.size() > kMostBranches) reader.fail(fmt::format("at most {} hashes", kMostBranches));
    for (const json& branch : branches) notify.branches.push_back(reader.hash(branch));
}

bool read_clean(Reader& reader) {
    const json& clean = reader.next("clean jobs");
    if (clean.is_null()) return false;
    if (clean.is_boolean()) return clean.get<bool>();
    const std::optional<std::int64_t> number = whole_number(clean);
    if (!number) reader.fail("true or false");
    return *number != 0;
}

}  // namespace

bool StratumNotify::same_work(const StratumNotify& other) const {
    return previous_hash == other.previous_hash && coinbase1 == other.coinbase1 && coinbase2 == other.coinbase2 &&
           branches == other.branches && version == other.version && nbits == other.nbits && time == other.time;
}

StratumNotify parse_notify(const json& params) {
    Reader reader(params);
    StratumNotify notify;
    notify.id = read_id(reader);
    notify.previous_hash = read_previous_hash(reader);
    notify.coinbase1 = reader.bytes(reader.next("first part of the coinbase"));
    notify.coinbase2 = reader.bytes(reader.next("second part of the coinbase"));
    read_branches(reader, notify);
    notify.version = reader.word(reader.next("version"));
    notify.nbits = reader.word(reader.next("nBits"));
    notify.time = reader.word(reader.next("time"));
    notify.clean = read_clean(reader);
    return notify;
}

}  // namespace gpuminer::net
