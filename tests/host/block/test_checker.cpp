// The checker: hashes of real headers, and its verdicts.
#include <span>
#include <string_view>

#include "host/block/checker.hpp"
#include "tests/catch.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;

namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// `value` plus or minus one; the value must not be 0 or 2^256-1.
Hash256 neighbour(Hash256 value, int step) {
    for (std::size_t i = value.bytes.size(); i-- > 0;) {
        value.bytes[i] = static_cast<std::uint8_t>(value.bytes[i] + step);
        const bool carried = value.bytes[i] == (step > 0 ? 0x00 : 0xff);
        if (!carried) break;
    }
    return value;
}

}  // namespace

TEST_CASE("double SHA-256 in display order", "[checker]") {
    REQUIRE(double_sha256({}).hex() == "56944c5d3f98413ef45cf54545538103cc9f298e0575820ad3591376e2e0f65d");
    REQUIRE(double_sha256(as_bytes("hello")).hex() ==
            "503d8319a48348cdc610a582f7bf754b5833df65038606eb48510790dfc99595");
}

TEST_CASE("every real header hashes to its listed hash and meets its own target", "[checker]") {
    const std::vector<RealHeader> headers = load_real_headers();
    REQUIRE(headers.size() == 7205);
    for (const RealHeader& real : headers) {
        const Checked checked = check(real.header, target_from_nbits(real.header.nbits()));
        if (checked.hash == real.hash && checked.verdict == Verdict::hit) continue;
        FAIL(real.network << " " << real.height << ": " << real.header.hex() << " hashes to " << checked.hash.hex());
    }
}

TEST_CASE("a hash meets a target that it equals, and none below it", "[checker]") {
    const RealHeader real = load_real_headers().at(0);
    REQUIRE(check(real.header, real.hash).verdict == Verdict::hit);
    REQUIRE(check(real.header, neighbour(real.hash, 1)).verdict == Verdict::hit);
    REQUIRE(check(real.header, neighbour(real.hash, -1)).verdict == Verdict::near_miss);
    REQUIRE(check(real.header, real.hash).hash == real.hash);
}

TEST_CASE("a hash that fails the target's top word convicts the device", "[checker]") {
    const BlockHeader header = load_real_headers().at(0).header.with_nonce(1);
    const Hash256 hash = double_sha256(header.bytes);
    Hash256 target = hash;
    target.bytes[3] -= 1;  // the top word is one too small
    REQUIRE(hash.bytes[3] != 0);
    REQUIRE(check(header, target).verdict == Verdict::wrong);
    REQUIRE(check(header, Hash256{}).verdict == Verdict::wrong);

    Hash256 near = hash;
    near.bytes.fill(0);
    std::copy(hash.bytes.begin(), hash.bytes.begin() + 4, near.bytes.begin());
    REQUIRE(check(header, near).verdict == Verdict::near_miss);
}

TEST_CASE("a target of zero and of all ones", "[checker]") {
    const RealHeader real = load_real_headers().at(0);
    REQUIRE(check(real.header, Hash256{}).verdict == Verdict::near_miss);  // its top word is zero, too
    Hash256 ones;
    ones.bytes.fill(0xff);
    REQUIRE(check(real.header.with_nonce(0), ones).verdict == Verdict::hit);
}
