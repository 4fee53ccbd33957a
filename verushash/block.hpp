// The 1,487-byte block header of Verus: its fields, the nonce that a search changes, and the canonical form that is
// hashed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpuminer::verushash {

/// 140 bytes of fields, the solution's size (fd 40 05) and a solution of 1,344 bytes.
inline constexpr std::size_t kHeaderBytes = 1487;
inline constexpr std::size_t kNonceFieldBytes = 32;
inline constexpr std::size_t kSolutionBytes = 1344;
inline constexpr std::size_t kSearchedBytes = 15;           ///< at the solution's end
inline constexpr std::uint32_t kBlockVersion = 0x00010004;  ///< of blocks that VerusHash 2.x hashes
/// Solution versions from this on are hashed with VerusHash 2.2; earlier ones (2.0, 2.1) are not implemented.
inline constexpr std::uint32_t kFirstSolutionVersion = 4;
/// From this one on a solution has headers of chains that are mined together (PBaaS), and may be hashed in its
/// canonical form.
inline constexpr std::uint32_t kFirstPbaasVersion = 5;

/// A block header as serialised: version, previous hash, merkle root, Sapling root, time, nBits, 32 bytes of nonce,
/// solution; numbers little-endian, hashes in internal order. Source: VerusCoin, src/primitives/block.h and
/// solutiondata.h.
struct Header {
    std::array<std::uint8_t, kHeaderBytes> bytes{};

    [[nodiscard]] std::uint32_t version() const;
    [[nodiscard]] std::uint32_t time() const;  ///< seconds since 1970, UTC
    [[nodiscard]] std::uint32_t nbits() const;
    [[nodiscard]] std::uint32_t solution_version() const;
    [[nodiscard]] unsigned chains() const;  ///< that the solution announces

    /// What a search counts up: four of the solution's last 15 bytes, little-endian. (The field called nonce belongs to
    /// the pool's extranonce, and is cleared in the canonical form.)
    [[nodiscard]] std::uint32_t nonce() const;
    [[nodiscard]] Header with_nonce(std::uint32_t nonce) const;

    // Parts of it:
    [[nodiscard]] std::span<std::uint8_t> nonce_field();
    [[nodiscard]] std::span<std::uint8_t> mmr_roots();  ///< both
    [[nodiscard]] std::span<const std::uint8_t> mmr_roots() const;
    [[nodiscard]] std::span<std::uint8_t> searched();                    ///< the nonce, and the bytes behind it
    [[nodiscard]] std::span<const std::uint8_t> sized_solution() const;  ///< with its size

    friend bool operator==(const Header&, const Header&) = default;
};

/// The fields before the nonce; hashes in internal order.
struct HeaderFields {
    std::uint32_t version = kBlockVersion;
    std::array<std::uint8_t, 32> previous_hash{}, merkle_root{}, sapling_root{};
    std::uint32_t time = 0;
    std::uint32_t nbits = 0;
};
/// Of these fields, a field nonce of zero, and a solution whose other bytes, up to 1,344, are zero. Throws as
/// parse_header().
[[nodiscard]] Header make_header(const HeaderFields& fields, std::span<const std::uint8_t> solution);

/// The bytes of a header that VerusHash 2.2 is defined for. Throws InputError: their number, the block's version, the
/// solution's size, the solution's version.
[[nodiscard]] Header parse_header(std::span<const std::uint8_t> bytes);
/// The same of 2,974 hex digits; white space and a 0x are allowed, as people have them.
[[nodiscard]] Header parse_header_hex(std::string_view text);

using PreHeaderHash = std::array<std::uint8_t, 32>;

/// BLAKE2b-256 without key or salt, personalised "VerusDefaultHash" (RFC 7693, BLAKE2's parameter block). OpenSSL's
/// BLAKE2b has no personalisation without a key.
[[nodiscard]] PreHeaderHash pre_header_blake2b(std::span<const std::uint8_t> data);
/// BLAKE2b-256 of what is the header's own: previous hash, merkle root, Sapling root, field nonce, nBits, MMR roots.
[[nodiscard]] PreHeaderHash pre_header_hash(const Header& header);

/// What is hashed. Blocks of several chains share a proof of work: a solution of version 5 or later lists them, each
/// with its identity and the BLAKE2b-256 of what is its own ("pre-header"). Where one of those is this header's,
/// everything that is its own becomes zero; else the header stays as it is.
[[nodiscard]] Header canonical_form(const Header& header);
/// With zeros in place of all that is the header's own.
[[nodiscard]] Header without_own_fields(Header header);

}  // namespace gpuminer::verushash
