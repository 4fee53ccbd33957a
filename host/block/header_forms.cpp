#include "host/block/header_forms.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

using nlohmann::json;

constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kSmallestVersion = std::numeric_limits<std::int32_t>::min();  // nodes print it as signed

json parse_object(std::string_view text) {
    constexpr JsonBounds kBounds{.levels = 8, .values = 20'000};  // `getblock HASH` lists the ids of all transactions
    const std::string bound = exceeded_bound(text, kBounds);
    if (!bound.empty()) throw InputError(fmt::format("expected an object of {}, as getblockheader's, got more", bound));
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        throw InputError(fmt::format("expected getblockheader's JSON, but byte {} is no JSON", error.byte));
    } catch (const json::exception&) {  // 1e999
        throw InputError("expected getblockheader's JSON, got a number that is too large");
    }
}

/// A field, for which `fulfilled` says whether it is as `expected`.
template <class Fulfilled>
const json& field(const json& object, const char* name, const std::string& expected, Fulfilled&& fulfilled) {
    const auto found = object.find(name);
    if (found != object.end() && fulfilled(*found)) return *found;
    throw InputError(fmt::format("expected getblockheader's \"{}\", {}, got {}", name, expected,
                                 found == object.end() ? "nothing" : quoted_text(json_text(*found))));
}

std::int64_t number(const json& object, const char* name, std::int64_t smallest) {
    const auto fits = [smallest](const json& value) {
        if (!value.is_number_integer()) return false;
        // What is unsigned to the parser may be more than the other type holds.
        if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= std::uint64_t{kLargest};
        return value.get<std::int64_t>() >= smallest;
    };
    return field(object, name, fmt::format("a whole number from {} to {}", smallest, kLargest), fits)
        .get<std::int64_t>();
}

std::uint32_t number(const json& object, const char* name) {
    return static_cast<std::uint32_t>(number(object, name, 0));
}

std::string hex_digits(const json& object, const char* name, std::size_t count) {
    return field(object, name, fmt::format("{} hex digits", count),
                 [count](const json& value) {
                     if (!value.is_string()) return false;
                     const auto& text = value.get_ref<const std::string&>();
                     return text.size() == count && is_hex(text);
                 })
        .get<std::string>();
}

std::uint32_t hex32(const json& object, const char* name) { return *parse_hex32(hex_digits(object, name, 8)); }

Hash256 hash(const json& object, const char* name) {
    Hash256 value;
    decode_hex(hex_digits(object, name, 2 * value.bytes.size()), value.bytes);
    return value;
}

std::uint32_t version(const json& object) {
    const bool has_digits = object.contains("versionHex");
    if (has_digits && !object.contains("version")) return hex32(object, "versionHex");
    const auto value = static_cast<std::uint32_t>(number(object, "version", kSmallestVersion));
    if (has_digits && hex32(object, "versionHex") != value)
        throw InputError(fmt::format("expected \"version\" and \"versionHex\" to agree, got {} and {}", hex8(value),
                                     hex8(hex32(object, "versionHex"))));
    return value;
}

Hash256 previous_hash(const json& object) {
    const bool is_first = !object.contains("previousblockhash") && object.value("height", json()) == 0;
    return is_first ? Hash256{} : hash(object, "previousblockhash");
}

}  // namespace

bool is_object(std::string_view text) { return trimmed(text).starts_with('{'); }

BlockHeader header_of_object(std::string_view text) {
    const json object = parse_object(text);
    BlockHeader header;
    header.set_version(version(object));
    header.set_previous_hash(internal_order(previous_hash(object)));
    header.set_merkle_root(internal_order(hash(object, "merkleroot")));
    header.set_time(number(object, "time"));
    header.set_nbits(hex32(object, "bits"));
    header.set_nonce(number(object, "nonce"));
    if (!object.contains("hash")) return header;
    const Hash256 wanted = hash(object, "hash");
    const Hash256 found = double_sha256(header.bytes);
    if (wanted != found)
        throw InputError(fmt::format("expected the header of block {}, as the object's \"hash\" says, got that of {}",
                                     wanted.hex(), found.hex()));
    return header;
}

namespace {

constexpr std::size_t kHeaderSize = 80;
constexpr std::size_t kOutpointSize = 36;
// To the end of the coinbase's outpoint, where the fields before it are longest; every block is longer than that.
constexpr std::size_t kBeginning = kHeaderSize + 9 + 4 + 2 + 1 + kOutpointSize;

bool begins_block(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < kBeginning) return false;
    std::size_t at = kHeaderSize;
    const unsigned count = bytes[at];  // CompactSize: the number itself, or how many bytes it has
    at += count < 0xfd ? 1 : 1 + (std::size_t{2} << (count - 0xfd));
    at += 4;                                                 // the coinbase's version
    if (bytes[at] == 0 && bytes[at + 1] == 1) at += 2;       // marker and flag of BIP 144
    if (bytes[at++] != 1) return false;                      // inputs
    const auto outpoint = bytes.subspan(at, kOutpointSize);  // null: 32 times 00, four times ff
    return std::ranges::all_of(outpoint.first(32), [](std::uint8_t byte) { return byte == 0; }) &&
           std::ranges::all_of(outpoint.last(4), [](std::uint8_t byte) { return byte == 0xff; });
}

Bytes raw_bytes(std::string_view text) { return {text.begin(), text.end()}; }

bool is_raw_block(std::string_view text) { return begins_block(raw_bytes(text.substr(0, kBeginning))); }

}  // namespace

bool is_block(std::string_view text) {
    constexpr std::size_t kGenerous = 4096;  // with white space
    if (is_raw_block(text)) return true;
    const std::string digits = hex_digits_of(text.substr(0, kGenerous)).substr(0, 2 * kBeginning);
    if (digits.size() < 2 * kBeginning || !is_hex(digits)) return false;
    Bytes bytes(kBeginning);
    decode_hex(digits, bytes);
    return begins_block(bytes);
}

HeaderInput read_block(std::string_view text) {
    Bytes block;
    if (is_raw_block(text)) {
        block = raw_bytes(text);
    } else {
        const std::string digits = hex_digits_of(text);
        require_hex_digits(digits, "a whole block in hex digits");
        if (digits.size() % 2 != 0)
            throw InputError(fmt::format("expected a whole block in hex digits, got {}, an odd number", digits.size()));
        block.resize(digits.size() / 2);
        decode_hex(digits, block);
    }
    const auto body = block.begin() + kHeaderSize;
    HeaderInput input{BlockHeader(kSha256d), true, Bytes(body, block.end())};
    std::copy(block.begin(), body, input.header.bytes.begin());
    return input;
}

}  // namespace gpuminer
