#include "net/bitcoin/address.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/base58.hpp"
#include "net/bitcoin/bech32.hpp"
#include "net/bitcoin/constants.hpp"

namespace gpuminer::net {
namespace {

constexpr std::uint8_t kOpDup = 0x76;
constexpr std::uint8_t kOpHash160 = 0xa9;
constexpr std::uint8_t kOpEqual = 0x87;
constexpr std::uint8_t kOpEqualVerify = 0x88;
constexpr std::uint8_t kOpCheckSig = 0xac;
constexpr std::size_t kHash160Size = 20;
constexpr std::size_t kShownOfAddress = 90;

struct Base58Row {
    std::uint8_t version;  // the first byte
    AddressKind kind;
    std::vector<Chain> chains;
};

// As Bitcoin Core's and btcd's parameters of their networks have them.
const std::vector<Base58Row>& base58_rows() {
    static const std::vector<Chain> test_chains = {Chain::kTest, Chain::kTestnet4, Chain::kTestnet5, Chain::kSignet,
                                                   Chain::kRegtest};
    static const std::vector<Base58Row> rows = {
        {0x00, AddressKind::kP2pkh, {Chain::kMain}},   {0x05, AddressKind::kP2sh, {Chain::kMain}},
        {0x6f, AddressKind::kP2pkh, test_chains},      {0xc4, AddressKind::kP2sh, test_chains},
        {0x3f, AddressKind::kP2pkh, {Chain::kSimnet}}, {0x7b, AddressKind::kP2sh, {Chain::kSimnet}},
    };
    return rows;
}

// First bytes of private keys (main network, test networks, simnet).
constexpr std::uint8_t kPrivateKeyVersions[] = {0x80, 0xef, 0x64};

struct Bech32Row {
    std::string_view prefix;
    std::vector<Chain> chains;
};
const std::vector<Bech32Row>& bech32_rows() {
    static const std::vector<Bech32Row> rows = {
        {"bc", {Chain::kMain}},
        {"tb", {Chain::kTest, Chain::kTestnet4, Chain::kTestnet5, Chain::kSignet}},
        {"bcrt", {Chain::kRegtest}},
        {"sb", {Chain::kSimnet}}};
    return rows;
}

const Bech32Row* bech32_row(std::string_view prefix) {
    const auto row = std::find_if(bech32_rows().begin(), bech32_rows().end(),
                                  [&](const Bech32Row& candidate) { return candidate.prefix == prefix; });
    return row == bech32_rows().end() ? nullptr : &*row;
}

// It begins as an address of a network known here does: "bc1". Base58 addresses of these networks have no such
// beginning.
bool has_known_prefix(std::string_view text) {
    const std::size_t first = text.find('1');
    return first != std::string_view::npos && bech32_row(ascii_lower(text.substr(0, first))) != nullptr;
}

// Whether the text is bech32, right or wrong: it begins so, or its checksum is right.
bool looks_like_bech32(std::string_view text) {
    if (has_known_prefix(text)) return true;
    try {
        (void)decode_bech32(text);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

// The witness program of an address: BIP 350's rules for it, and one of our own.
Address from_bech32(std::string_view text) {
    // The last '1' is the separator (BIP 173), which is right for texts whose prefix is not known.
    if (has_known_prefix(text) && text.find('1') != text.rfind('1')) {
        throw InputError("it has a second '1', which bech32 does not use after the prefix");
    }
    const Bech32Text decoded = decode_bech32(text);
    const Bech32Row* const row = bech32_row(decoded.prefix);
    if (row == nullptr) {
        throw InputError(fmt::format("its prefix {} is none of bc, tb, bcrt and sb", quoted_text(decoded.prefix)));
    }
    if (decoded.values.empty()) throw InputError("it has no data");
    const unsigned version = decoded.values[0];
    if (version > 16) throw InputError(fmt::format("its witness version is {}, but at most 16 is allowed", version));
    const bool is_bech32m = decoded.checksum == Bech32Checksum::kBech32m;
    if (is_bech32m != (version != 0)) {
        throw InputError(fmt::format("witness version {} is written in {}, but this one is in {}", version,
                                     version == 0 ? "bech32" : "bech32m", is_bech32m ? "bech32m" : "bech32"));
    }
    const Bytes program = bytes_from_5_bits(decoded.values, 1);
    if (version == 0 && program.size() != 20 && program.size() != 32) {
        throw InputError(fmt::format("its witness program has {} bytes, but version 0 takes 20 or 32", program.size()));
    }
    // Any other program of a version above 0 is valid, but its money anybody's.
    if (version > 1)
        throw InputError(fmt::format("witness version {} is not defined yet: anyone could spend the coins", version));
    if (version == 1 && program.size() != 32) {
        throw InputError(fmt::format("its witness program has {} bytes, but taproot takes 32", program.size()));
    }
    Address address;
    address.kind = version == 1           ? AddressKind::kP2tr
                   : program.size() == 20 ? AddressKind::kP2wpkh
                                          : AddressKind::kP2wsh;
    address.chains = row->chains;
    address.script = {version == 0 ? kOp0 : kOp1, static_cast<std::uint8_t>(program.size())};
    address.script.insert(address.script.end(), program.begin(), program.end());
    return address;
}

Address from_base58(std::string_view text) {
    const Bytes bytes = decode_base58check(text);
    const auto row = std::find_if(base58_rows().begin(), base58_rows().end(),
                                  [&](const Base58Row& candidate) { return candidate.version == bytes[0]; });
    if (row == base58_rows().end()) {
        throw InputError(fmt::format("its first byte 0x{:02x} belongs to no known network", bytes[0]));
    }
    if (bytes.size() != 1 + kHash160Size) {
        throw InputError(fmt::format("expected {} bytes in it, got {}", 1 + kHash160Size, bytes.size()));
    }
    Address address;
    address.kind = row->kind;
    address.chains = row->chains;
    const bool is_p2pkh = row->kind == AddressKind::kP2pkh;
    address.script = is_p2pkh ? Bytes{kOpDup, kOpHash160, kHash160Size} : Bytes{kOpHash160, kHash160Size};
    address.script.insert(address.script.end(), bytes.begin() + 1, bytes.end());
    const Bytes end = is_p2pkh ? Bytes{kOpEqualVerify, kOpCheckSig} : Bytes{kOpEqual};
    address.script.insert(address.script.end(), end.begin(), end.end());
    return address;
}

// A private key in a message would end up in a log.
void refuse_private_key(std::string_view text) {
    constexpr std::size_t kShortestPrivateKey = 51;
    if (text.size() < kShortestPrivateKey || looks_like_bech32(text)) return;
    Bytes bytes;
    try {
        bytes = decode_base58check(text);
    } catch (const InputError&) {
        return;
    }
    const bool is_key = bytes.size() >= 33 && bytes.size() <= 34 &&
                        std::find(std::begin(kPrivateKeyVersions), std::end(kPrivateKeyVersions), bytes[0]) !=
                            std::end(kPrivateKeyVersions);
    if (is_key) throw InputError("expected an address, got a private key");
}

std::string list_of(const std::vector<Chain>& chains) {
    std::string list;
    for (std::size_t i = 0; i < chains.size(); ++i) {
        if (i != 0) list += i + 1 == chains.size() ? " and " : ", ";
        list += description_of(chains[i]);
    }
    return list;
}

}  // namespace

std::string_view name_of(AddressKind kind) {
    switch (kind) {
        case AddressKind::kP2pkh: return "P2PKH";
        case AddressKind::kP2sh: return "P2SH";
        case AddressKind::kP2wpkh: return "P2WPKH";
        case AddressKind::kP2wsh: return "P2WSH";
        case AddressKind::kP2tr: return "P2TR";
    }
    return "";
}

bool Address::is_valid_on(Chain chain) const { return std::find(chains.begin(), chains.end(), chain) != chains.end(); }

Address parse_address(std::string_view text) {
    refuse_private_key(text);
    try {
        if (text.empty()) throw InputError("it is empty");
        Address address = looks_like_bech32(text) ? from_bech32(text) : from_base58(text);
        address.text = text;
        return address;
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} is not a Bitcoin address that can be paid: {}",
                                     quoted_text(text, kShownOfAddress), error.what()));
    }
}

bool looks_like_address(std::string_view text) {
    constexpr std::size_t kShortest = 26, kLongest = 35;
    constexpr std::string_view kFirst = "123mn", kNotInBase58 = "0OIl";
    if (has_known_prefix(text)) return true;
    if (text.size() < kShortest || text.size() > kLongest || kFirst.find(text.front()) == std::string_view::npos)
        return false;
    return std::ranges::all_of(text, [&](char c) {
        const bool is_letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter_or_digit && kNotInBase58.find(c) == std::string_view::npos;
    });
}

void require_valid_on(const Address& address, Chain chain) {
    if (address.is_valid_on(chain)) return;
    throw InputError(fmt::format("{} is an address of {}, but this is {}", quoted_text(address.text, kShownOfAddress),
                                 list_of(address.chains), description_of(chain)));
}

}  // namespace gpuminer::net
