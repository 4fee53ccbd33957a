// A search on disk, as text: the request, the completed work, and the hits so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer {

struct Checkpoint {
    // What makes a search the same. Its goal, partition, threads and devices do not.
    BlockHeader header;              ///< its nonce is 0
    Hash256 target;                  ///< display order
    std::uint32_t start = 0;         ///< first nonce
    std::uint32_t end = 0xffffffff;  ///< last nonce, inclusive
    std::uint32_t version_mask = 0;  ///< version bits that are rolled

    SearchRecord record;

    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// Bytes of a text, at most: some 50 million hits.
inline constexpr std::size_t kLongestCheckpoint = std::size_t{1} << 30;

[[nodiscard]] Checkpoint make_checkpoint(const SearchRequest& request, SearchRecord record);

/// Lines (docs/checkpoints.md), the last of which is the SHA-256 of those before.
[[nodiscard]] std::string checkpoint_text(const Checkpoint& checkpoint);
/// And back. Throws InputError "expected …, got …", without the file's name: for what is no checkpoint, was cut off, or
/// was changed, and for one of a later format or of another algorithm.
[[nodiscard]] Checkpoint parse_checkpoint(std::string_view text, const Algorithm& algorithm = kSha256d);

/// Throws InputError "expected a checkpoint of header …, got …" where it is not one of the request's search.
void require_same_search(const Checkpoint& checkpoint, const SearchRequest& request);

}  // namespace gpuminer
