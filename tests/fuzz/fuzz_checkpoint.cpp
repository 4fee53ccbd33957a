// Fuzzer of checkpoints. An accepted text is written back unchanged, and a record that fits its request makes a search
// that resumes from it, or is refused with a sentence.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <openssl/sha.h>

#include "host/checkpoint/checkpoint.hpp"
#include "host/errors.hpp"
#include "host/search/request_source.hpp"
#include "host/text/text.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using gpuminer::fuzz::demand;

namespace {

/// With the checksum that no fuzzer would guess.
std::string sealed(const std::string& body) {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data());
    return body + "sha256 " + to_hex(digest) + "\n";
}

std::optional<Checkpoint> parsed(const std::string& text) {
    try {
        return parse_checkpoint(text);
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    return std::nullopt;
}

SearchRequest request_of(const Checkpoint& checkpoint) {
    SearchRequest request;
    request.header = checkpoint.header;
    request.target = checkpoint.target;
    request.start = checkpoint.start;
    request.end = checkpoint.end;
    request.version_mask = checkpoint.version_mask;
    request.goal = Goal::kAll;
    return request;
}

void check_search(const Checkpoint& checkpoint) {
    const SearchRequest request = request_of(checkpoint);
    require_same_search(checkpoint, request);
    try {
        const RequestSource source(request, checkpoint.record);
        demand(source.record() == checkpoint.record, "a search begins with the record that it goes on from");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    (void)parsed(text);
    const auto checkpoint = parsed(sealed(text));
    if (!checkpoint) return 0;
    demand(parsed(checkpoint_text(*checkpoint)) == checkpoint, "what is written is what is read");
    check_search(*checkpoint);
    return 0;
}
