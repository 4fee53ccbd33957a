// The block header of any algorithm: fields, parsing, and the blocks that the program carries with it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"

namespace gpuminer {

struct Algorithm;  // host/block/algorithm.hpp
extern const Algorithm kSha256d;

/// A block header as serialised; numbers little-endian, hashes in internal order. Which bytes are what is the
/// algorithm's. (Bitcoin: version, previous hash, merkle root, time, nBits, nonce.)
struct BlockHeader {
    BlockHeader() : BlockHeader(kSha256d) {}
    /// All zero.
    explicit BlockHeader(const Algorithm& algorithm);

    const Algorithm* algorithm;
    std::vector<std::uint8_t> bytes;  ///< as many as the algorithm's headers have

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
    [[nodiscard]] std::string hex() const;  ///< lower-case digits: 160 of Bitcoin's

    friend bool operator==(const BlockHeader&, const BlockHeader&) = default;
};

/// HEADER as a user gives it; `has_nonce` is false where it came without (Bitcoin: 152 digits); then it is 0.
struct HeaderInput {
    BlockHeader header;
    bool has_nonce = false;
    Bytes transactions = {};  ///< of a whole block, which `verify` alone takes: what follows the header. Else empty
    std::size_t line = 0;     ///< of a list of headers, counted from 1; 0: it was in none
};

/// Hex digits (Bitcoin: 152 or 160), with white space and a 0x as people have them. Throws InputError: one sentence,
/// what was expected and what came.
[[nodiscard]] HeaderInput parse_header_hex(std::string_view text, const Algorithm& algorithm = kSha256d);

/// Any form that the command line takes: hex digits, "@FILE", "-" (from `standard_input`), or an embedded block's
/// name. A file and standard input may also have the bytes themselves. Throws InputError, also for several.
[[nodiscard]] HeaderInput read_header(std::string_view argument, std::istream& standard_input,
                                      const Algorithm& algorithm = kSha256d);

enum class HeaderForms {
    kSearched,  ///< those above
    kVerified,  ///< of Bitcoin, also a whole block, and the JSON object that `bitcoin-cli getblockheader` prints
    kBlock,     ///< a whole block of Bitcoin alone, of a file or standard input
};

/// The same, of one or more: a file or standard input may have one a line. Never empty.
[[nodiscard]] std::vector<HeaderInput> read_headers(std::string_view argument, std::istream& standard_input,
                                                    const Algorithm& algorithm = kSha256d,
                                                    HeaderForms forms = HeaderForms::kSearched);

/// What such an argument reads, for messages: "standard input", "file 'x'"; empty: nothing, it is the header itself.
[[nodiscard]] std::string source_of_header(std::string_view argument);

/// A real block of Bitcoin that the program carries.
struct EmbeddedBlock {
    const char* name;         ///< "genesis", "100000", …
    const char* description;  ///< for --help and error messages
    const char* header_hex;   ///< 160 digits, with the true nonce
};
[[nodiscard]] std::span<const EmbeddedBlock> embedded_blocks();

}  // namespace gpuminer
