// The 80-byte block header: parsing, fields, and the blocks that the program carries with it.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/block/digest.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer {

/// A block header as serialised: version, previous hash, merkle root, time, nBits, nonce; numbers
/// little-endian, hashes in internal order.
struct BlockHeader {
    std::array<std::uint8_t, 80> bytes{};

    [[nodiscard]] std::uint32_t version() const;
    [[nodiscard]] Hash256 previous_hash() const;  ///< display order
    [[nodiscard]] Hash256 merkle_root() const;    ///< display order
    [[nodiscard]] std::uint32_t time() const;     ///< seconds since 1970, UTC
    [[nodiscard]] std::uint32_t nbits() const;
    [[nodiscard]] std::uint32_t nonce() const;

    void set_version(std::uint32_t version);
    void set_previous_hash(const Digest& hash);  ///< internal order, as it stands in the header
    void set_merkle_root(const Digest& root);    ///< internal order, as it stands in the header
    void set_time(std::uint32_t seconds);        ///< since 1970, UTC
    void set_nbits(std::uint32_t nbits);
    void set_nonce(std::uint32_t nonce);
    [[nodiscard]] BlockHeader with_version(std::uint32_t version) const;
    [[nodiscard]] BlockHeader with_nonce(std::uint32_t nonce) const;
    [[nodiscard]] std::string hex() const;  ///< 160 lower-case digits

    friend bool operator==(const BlockHeader&, const BlockHeader&) = default;
};

/// HEADER as a user gives it; `has_nonce` is false for 152 digits (then the nonce field is 0).
struct HeaderInput {
    BlockHeader header;
    bool has_nonce = false;
};

/// 152 or 160 hex digits, with white space and a 0x as people have them. Throws InputError: one sentence, what was
/// expected and what came.
[[nodiscard]] HeaderInput parse_header_hex(std::string_view text);

/// Any form that the command line takes: hex digits, "@FILE", "-" (from `standard_input`), or an embedded block's
/// name. A file and standard input may also have the 80 bytes themselves. Throws InputError, also for several.
[[nodiscard]] HeaderInput read_header(std::string_view argument, std::istream& standard_input);

/// The same, of one or more: a file or standard input may have one a line. Never empty.
[[nodiscard]] std::vector<HeaderInput> read_headers(std::string_view argument, std::istream& standard_input);

/// A real block that the program carries.
struct EmbeddedBlock {
    const char* name;         ///< "genesis", "100000", …
    const char* description;  ///< for --help and error messages
    const char* header_hex;   ///< 160 digits, with the true nonce
};
[[nodiscard]] std::span<const EmbeddedBlock> embedded_blocks();

}  // namespace gpuminer
