#include "verushash/block.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <sodium/crypto_generichash_blake2b.h>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "host/text/text.hpp"

namespace gpuminer::verushash {
namespace {

struct Field {
    std::size_t at;
    std::size_t size;
};
constexpr Field kVersion{0, 4}, kPreviousHash{4, 32}, kMerkleRoot{36, 32}, kSaplingRoot{68, 32}, kTime{100, 4},
    kNbits{104, 4}, kNonceField{108, 32}, kSolutionSize{140, 3};
constexpr std::size_t kSolution = 143;
// Of the solution: its descriptor, and the nonce that is searched.
constexpr Field kSolutionVersion{kSolution, 4}, kChains{kSolution + 5, 1}, kPreviousMmrRoot{kSolution + 8, 32},
    kBlockMmrRoot{kSolution + 40, 32}, kSearchedNonce{kHeaderBytes - 15, 4};

constexpr std::uint32_t kSizeOf1344 = 0x0540fd;  ///< as CompactSize writes it: fd 40 05

// The chains' entries follow the descriptor: 20 bytes of identity, 32 bytes of pre-header hash.
constexpr std::size_t kFirstChain = kSolution + 72, kChainId = 20, kChainBytes = 52;
/// Of the solution, those that neither the descriptor nor its last 15 bytes take.
constexpr std::size_t kRoomForChains = kHeaderBytes - 15 - kFirstChain;

std::span<const std::uint8_t> view(const Header& header, Field field) {
    return std::span(header.bytes).subspan(field.at, field.size);
}

std::uint32_t number(const Header& header, Field field) {
    return static_cast<std::uint32_t>(load_le(view(header, field)));
}

/// How many entries count. The reference takes the room that is left *behind* those that the descriptor announces, and
/// of those no more than would fit into that room once more (VerusCoin, CBlockHeader::GetPBaaSHeader): 12 of 12, but 11
/// of 13.
std::size_t chains_that_count(const Header& header) {
    const std::size_t announced = number(header, kChains);
    const std::size_t taken = announced * kChainBytes;
    const std::size_t left = taken < kRoomForChains ? kRoomForChains - taken : 0;
    return std::min(announced, left / kChainBytes);
}

/// Whether the solution vouches for what is the header's own: of each chain the first entry counts.
bool has_entry_of(const Header& header) {
    const std::array<std::uint8_t, 32> hash = pre_header_hash(header);
    const auto entry = [&](std::size_t i) { return view(header, {kFirstChain + i * kChainBytes, kChainBytes}); };
    for (std::size_t i = 0; i < chains_that_count(header); ++i) {
        if (!std::ranges::equal(entry(i).subspan(kChainId), hash)) continue;
        std::size_t first = 0;
        while (!std::ranges::equal(entry(first).first(kChainId), entry(i).first(kChainId))) ++first;
        if (std::ranges::equal(entry(first).subspan(kChainId), hash)) return true;
    }
    return false;
}

void expect(bool holds, const std::string& expected, const std::string& got) {
    if (!holds) throw InputError("expected a Verus block header with " + expected + ", got " + got);
}

}  // namespace

PreHeaderHash pre_header_blake2b(std::span<const std::uint8_t> data) {
    constexpr std::array<std::uint8_t, crypto_generichash_blake2b_PERSONALBYTES> kPersonal{
        'V', 'e', 'r', 'u', 's', 'D', 'e', 'f', 'a', 'u', 'l', 't', 'H', 'a', 's', 'h'};
    PreHeaderHash hash{};
    if (crypto_generichash_blake2b_salt_personal(hash.data(), hash.size(), data.data(), data.size(), nullptr, 0,
                                                 nullptr, kPersonal.data()) != 0) {
        throw std::runtime_error("libsodium refuses BLAKE2b-256");
    }
    return hash;
}

std::uint32_t Header::version() const { return number(*this, kVersion); }
std::uint32_t Header::time() const { return number(*this, kTime); }
std::uint32_t Header::nbits() const { return number(*this, kNbits); }
std::uint32_t Header::solution_version() const { return number(*this, kSolutionVersion); }
std::uint32_t Header::nonce() const { return number(*this, kSearchedNonce); }
unsigned Header::chains() const { return number(*this, kChains); }

std::span<std::uint8_t> Header::nonce_field() { return std::span(bytes).subspan(kNonceField.at, kNonceField.size); }
std::span<std::uint8_t> Header::mmr_roots() { return std::span(bytes).subspan(kPreviousMmrRoot.at, 64); }
std::span<const std::uint8_t> Header::mmr_roots() const { return std::span(bytes).subspan(kPreviousMmrRoot.at, 64); }
std::span<std::uint8_t> Header::searched() { return std::span(bytes).last(kSearchedBytes); }
std::span<const std::uint8_t> Header::sized_solution() const { return std::span(bytes).subspan(kSolutionSize.at); }

Header Header::with_nonce(std::uint32_t nonce) const {
    Header result = *this;
    store_le32(result.bytes, kSearchedNonce.at, nonce);
    return result;
}

Header parse_header(std::span<const std::uint8_t> bytes) {
    expect(bytes.size() == kHeaderBytes, std::to_string(kHeaderBytes) + " bytes", std::to_string(bytes.size()));
    Header header;
    std::ranges::copy(bytes, header.bytes.begin());
    expect(header.version() == kBlockVersion, "version " + std::to_string(kBlockVersion) + " (VerusHash 2)",
           std::to_string(header.version()));
    expect(number(header, kSolutionSize) == kSizeOf1344, "a solution of 1344 bytes (fd4005)",
           to_hex(view(header, kSolutionSize)));
    // (The reference reads it as a signed number.)
    const std::uint32_t version = header.solution_version();
    expect(version >= kFirstSolutionVersion && version <= 0x7fffffff,
           "a solution of version " + std::to_string(kFirstSolutionVersion) + " or later (VerusHash 2.2)",
           std::to_string(version));
    return header;
}

Header parse_header_hex(std::string_view text) {
    const std::string digits = hex_digits_of(text);
    const std::string expected = std::to_string(2 * kHeaderBytes) + " hex digits";
    require_hex_digits(digits, expected);
    expect(digits.size() == 2 * kHeaderBytes, expected, std::to_string(digits.size()));
    std::array<std::uint8_t, kHeaderBytes> bytes{};
    decode_hex(digits, bytes);
    return parse_header(bytes);
}

Header make_header(const HeaderFields& fields, std::span<const std::uint8_t> solution) {
    expect(solution.size() <= kSolutionBytes, "a solution of at most " + std::to_string(kSolutionBytes) + " bytes",
           std::to_string(solution.size()));
    Header header;
    const auto put = [&](Field field, std::span<const std::uint8_t> bytes) {
        std::ranges::copy(bytes, header.bytes.begin() + static_cast<std::ptrdiff_t>(field.at));
    };
    store_le32(header.bytes, kVersion.at, fields.version);
    put(kPreviousHash, fields.previous_hash);
    put(kMerkleRoot, fields.merkle_root);
    put(kSaplingRoot, fields.sapling_root);
    store_le32(header.bytes, kTime.at, fields.time);
    store_le32(header.bytes, kNbits.at, fields.nbits);
    store_le(std::span(header.bytes).subspan(kSolutionSize.at, kSolutionSize.size), kSizeOf1344);
    put({kSolution, kSolutionBytes}, solution);
    return parse_header(header.bytes);
}

PreHeaderHash pre_header_hash(const Header& header) {
    std::array<std::uint8_t, 196> own{};
    auto out = own.begin();
    for (const Field field :
         {kPreviousHash, kMerkleRoot, kSaplingRoot, kNonceField, kNbits, kPreviousMmrRoot, kBlockMmrRoot}) {
        out = std::ranges::copy(view(header, field), out).out;
    }
    return pre_header_blake2b(own);
}

Header canonical_form(const Header& header) {
    if (header.solution_version() < kFirstPbaasVersion || !has_entry_of(header)) return header;
    return without_own_fields(header);
}

Header without_own_fields(Header header) {
    for (const Field field :
         {kPreviousHash, kMerkleRoot, kSaplingRoot, kNbits, kNonceField, kPreviousMmrRoot, kBlockMmrRoot}) {
        std::ranges::fill(std::span(header.bytes).subspan(field.at, field.size), std::uint8_t{0});
    }
    return header;
}

}  // namespace gpuminer::verushash
