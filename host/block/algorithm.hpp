// Interface to an algorithm that proves work: its block header, its hash, its jobs. All else, from the partition to the
// reports, is the same for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "kernel/scan_job.hpp"

namespace gpuminer {

/// Where fields lie in a serialised header, in bytes from its beginning. Numbers have four bytes, little-endian;
/// hashes 32.
struct HeaderLayout {
    std::size_t size;  ///< of all of it
    std::size_t version, previous_hash, merkle_root, time, nbits;
    std::size_t nonce;  ///< what a search counts up
};

/// A scan whose candidates are known, for self-tests of devices: the header's algorithm says which they are.
struct KnownScan {
    const char* name;
    BlockHeader header;
    std::vector<std::uint32_t> versions;
    std::uint32_t target_top;
    NonceRange range;
};

/// One algorithm: kSha256d, kVerusHash (verushash/algorithm.hpp).
struct Algorithm {
    const char* name;  ///< as users type it
    HeaderLayout layout;
    /// A header whose nonce is still to be found may come without it: then it has so many bytes. 0: it may not.
    std::size_t size_without_nonce;
    const char* header_text;         ///< what a header looks like, for messages: "160 hex digits (80 bytes)"
    const char* command_for_header;  ///< what asks a node for one: "bitcoin-cli getblockheader HASH false"
    bool rolls_versions;             ///< whether a search may change the version as well

    const char* embedded_job;  ///< the name of the embedded block that is searched where no header is given

    /// Throws InputError for a header of the right size that the algorithm is not defined for.
    void (*require_valid)(const BlockHeader& header);
    /// Display order. By the checker's code, which shares none with any device's.
    Hash256 (*hash)(const BlockHeader& header);
    std::unique_ptr<const ScanJob> (*make_job)(const BlockHeader& header, std::span<const std::uint32_t> versions,
                                               std::uint32_t target_top);
    std::vector<KnownScan> (*known_scans)();
    std::span<const EmbeddedBlock> (*embedded_blocks)();
};

}  // namespace gpuminer
