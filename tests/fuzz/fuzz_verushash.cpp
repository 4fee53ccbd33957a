// Fuzzer of VerusHash: the fast form against the portable one, over headers and ranges of the fuzzer's making.
#include <algorithm>
#include <vector>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "tests/fuzz/property.hpp"
#include "verushash/hash.hpp"
#include "verushash/scanner.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;
using fuzz::demand;

namespace {

/// The input from its third byte on, again and again, as a header that is accepted; every other one is refused in
/// words.
Header header_of(std::span<const std::uint8_t> input) {
    Bytes bytes(kHeaderBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = input[i % input.size()];
    try {
        return parse_header(bytes);
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    store_le32(bytes, 0, kBlockVersion);
    store_le(std::span(bytes).subspan(140, 3), 0x0540fd);
    store_le32(bytes, 143, kFirstSolutionVersion + bytes[143] % 5);
    return parse_header(bytes);
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const FastForm* const form = usable_fast_form();
    if (form == nullptr) return 0;
    const Header header = header_of({data + 2, size - 2});
    const Header canonical = canonical_form(header);
    demand(canonical_form(header.with_nonce(1)) == canonical.with_nonce(1),
           "a nonce does not change the canonical form");

    // Up to eight nonces around the fuzzer's, and as target the hash of one of them.
    const std::uint64_t count = 1 + data[0] % 8;
    const auto first = static_cast<std::uint32_t>(std::min<std::uint64_t>(header.nonce(), 0x100000000 - count));
    std::vector<std::uint32_t> tops;
    for (std::uint64_t i = 0; i < count; ++i) {
        tops.push_back(display_order(hash_header(header.with_nonce(static_cast<std::uint32_t>(first + i)))).top_word());
    }
    const std::uint32_t target_top = tops[data[1] % count];
    static Scanner scanner(*form);
    scanner.set_header(header);
    Candidates candidates;
    scanner.scan({first, count}, target_top, candidates);
    std::vector<bool> found(count);
    for (const Candidate& candidate : candidates.items()) found.at(candidate.nonce - first) = true;
    for (std::size_t i = 0; i < count; ++i) demand(found[i] == (tops[i] <= target_top), "both forms agree on a nonce");
    demand(candidates.items().size() == static_cast<std::size_t>(std::ranges::count(found, true)),
           "no nonce comes twice");
    return 0;
}
