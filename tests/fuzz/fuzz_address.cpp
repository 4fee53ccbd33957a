// Fuzzer of addresses, as any text, and as texts that are made of any bytes by encoders of its own. An accepted
// text is the one that the encoders make of the script, and each refusal is a plain sentence.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <openssl/sha.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/address.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

// BIP 173 and 350, as their reference implementation (sipa/bech32) has them.
std::uint32_t polymod(const std::vector<std::uint8_t>& values) {
    std::uint32_t c = 1;
    for (const std::uint8_t v : values) {
        const std::uint8_t c0 = c >> 25;
        c = (c & 0x1ffffff) << 5 ^ v;
        if (c0 & 1) c ^= 0x3b6a57b2;
        if (c0 & 2) c ^= 0x26508e6d;
        if (c0 & 4) c ^= 0x1ea119fa;
        if (c0 & 8) c ^= 0x3d4233dd;
        if (c0 & 16) c ^= 0x2a1462b3;
    }
    return c;
}

std::string bech32_encoded(const std::string& prefix, unsigned version, std::span<const std::uint8_t> program) {
    constexpr const char* kCharacters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    std::vector<std::uint8_t> data{static_cast<std::uint8_t>(version)};
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const std::uint8_t byte : program) {
        buffer = (buffer << 8 | byte) & 0xfff;
        for (bits += 8; bits >= 5; bits -= 5) data.push_back(buffer >> (bits - 5) & 31);
    }
    if (bits > 0) data.push_back(buffer << (5 - bits) & 31);
    std::vector<std::uint8_t> all;
    for (const char c : prefix) all.push_back(static_cast<std::uint8_t>(c) >> 5);
    all.push_back(0);
    for (const char c : prefix) all.push_back(c & 31);
    all.insert(all.end(), data.begin(), data.end());
    all.resize(all.size() + 6);
    const std::uint32_t checksum = polymod(all) ^ (version == 0 ? 1 : 0x2bc830a3);
    for (unsigned i = 0; i < 6; ++i) data.push_back(checksum >> 5 * (5 - i) & 31);
    std::string text = prefix + "1";
    for (const std::uint8_t value : data) text += kCharacters[value];
    return text;
}

std::string base58_encoded(std::vector<std::uint8_t> bytes) {
    constexpr const char* kCharacters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    std::array<std::uint8_t, 32> digest{};
    SHA256(bytes.data(), bytes.size(), digest.data());
    SHA256(digest.data(), digest.size(), digest.data());
    bytes.insert(bytes.end(), digest.begin(), digest.begin() + 4);
    const auto zeros = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; }) - bytes.begin();
    std::string text;
    while (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; })) {
        unsigned rest = 0;
        for (std::uint8_t& byte : bytes) {
            const unsigned value = rest << 8 | byte;
            byte = static_cast<std::uint8_t>(value / 58);
            rest = value % 58;
        }
        text += kCharacters[rest];
    }
    text.append(static_cast<std::size_t>(zeros), '1');
    std::reverse(text.begin(), text.end());
    return text;
}

/// The script's address on a network, in lower case where it is bech32.
std::string encoded(const Bytes& script, AddressKind kind, Chain chain) {
    const bool simnet = chain == Chain::kSimnet;
    const bool main = chain == Chain::kMain;
    const std::string prefix = main ? "bc" : simnet ? "sb" : chain == Chain::kRegtest ? "bcrt" : "tb";
    const auto hash_at = [&](std::size_t at, std::uint8_t version) {
        std::vector<std::uint8_t> bytes{version};
        bytes.insert(bytes.end(), script.begin() + static_cast<std::ptrdiff_t>(at),
                     script.begin() + static_cast<std::ptrdiff_t>(at + 20));
        return base58_encoded(std::move(bytes));
    };
    switch (kind) {
        case AddressKind::kP2pkh: return hash_at(3, main ? 0x00 : simnet ? 0x3f : 0x6f);
        case AddressKind::kP2sh: return hash_at(2, main ? 0x05 : simnet ? 0x7b : 0xc4);
        default: break;
    }
    return bech32_encoded(prefix, script[0] == 0 ? 0 : script[0] - 0x50, std::span(script).subspan(2));
}

void check(const std::string& text) {
    try {
        const Address address = parse_address(text);
        demand(address.text == text && !address.chains.empty(), "an address has its text and a network");
        for (const Chain chain : address.chains) {
            demand(address.is_valid_on(chain), "an address is valid on its networks");
            const std::string own = encoded(address.script, address.kind, chain);
            const bool base58 = address.kind == AddressKind::kP2pkh || address.kind == AddressKind::kP2sh;
            demand(own == (base58 ? text : ascii_lower(text)), "an address is that of its script");
        }
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

/// An address with right checksums, right or wrong otherwise.
void check_made(std::span<const std::uint8_t> data) {
    const std::span<const std::uint8_t> program = data.subspan(2);
    const char* const prefixes[] = {"bc", "tb", "bcrt", "sb", "tc"};
    check(bech32_encoded(prefixes[data[0] % 5], data[1] % 20, program));
    std::vector<std::uint8_t> bytes{data[0]};
    bytes.insert(bytes.end(), program.begin(), program.end());
    check(base58_encoded(std::move(bytes)));
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check(std::string(reinterpret_cast<const char*>(data), size));
    if (size >= 2 && size < 100) check_made({data, size});
    return 0;
}
