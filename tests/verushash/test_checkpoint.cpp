// Tests of checkpoints of a search for VerusHash: their text, and their refusal by other algorithms.
#include <string>

#include "host/checkpoint/checkpoint.hpp"
#include "host/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "verushash/algorithm.hpp"
#include "verushash/example.hpp"

using namespace gpuminer;

namespace {

Checkpoint sample() {
    SearchRequest request;
    request.header =
        parse_header_hex(to_hex(verushash::example_header().bytes), kVerusHash).header.with_nonce(0x01020304);
    request.start = 16;
    request.end = 4095;
    SearchRecord record{.group_size = 1, .done = {}, .hits = {{verushash::kBlockVersion, 77}}};
    record.done.add({0, 1000});
    return make_checkpoint(request, record);
}

}  // namespace

TEST_CASE("a checkpoint of VerusHash says so, and has its header without the nonce") {
    const Checkpoint checkpoint = sample();
    const std::string text = checkpoint_text(checkpoint);
    std::string digits = checkpoint.header.hex();
    CHECK(digits.size() == 2974);
    CHECK(digits.substr(2944, 8) == "00000000");
    digits.erase(2944, 8);
    CHECK(text.starts_with("gpuminer checkpoint 1\nalgorithm verushash\nheader " + digits + "\ntarget "));
    CHECK(parse_checkpoint(text, kVerusHash) == checkpoint);
}

TEST_CASE("a checkpoint of one algorithm is none of another") {
    const std::string text = checkpoint_text(sample());
    CHECK(input_error([&] { (void)parse_checkpoint(text); }) ==
          "expected a checkpoint of sha256d, got one of 'verushash'");
    const std::string of_bitcoin = checkpoint_text(make_checkpoint({}, {.group_size = 1, .done = {}, .hits = {}}));
    CHECK(input_error([&] { (void)parse_checkpoint(of_bitcoin, kVerusHash); }) ==
          "expected a checkpoint of verushash, got one of 'sha256d'");
}
