// Tests of the self-test: a right device, which passes, and each kind of wrong one, which fails with the reason.
#include <chrono>
#include <cstring>

#include "host/search/self_test.hpp"
#include "tests/catch.hpp"
#include "tests/host/devices/fake_devices.hpp"

using namespace gpuminer;
using gpuminer::test::Behaviour;
using gpuminer::test::FakeDevice;

namespace {

using Tamper = std::function<void(const Sha256dJob&, NonceRange, ScanResult&)>;

std::optional<std::string> test_of(const Tamper& tamper) {
    Behaviour behaviour;
    behaviour.tamper_self_test = tamper;
    FakeDevice device("fake:0", BlockHeader{}, behaviour);
    return self_test(device);
}

/// Keeps the candidates for which `keep` holds.
Tamper filter(const std::function<bool(NonceRange, Candidate)>& keep) {
    return [keep](const Sha256dJob&, NonceRange range, ScanResult& result) {
        const auto items = result.candidates.items();
        result.candidates.clear();
        for (const Candidate& candidate : items) {
            if (keep(range, candidate)) result.candidates.push(candidate);
        }
    };
}

}  // namespace

TEST_CASE("a device that finds what the checker finds passes the self-test") { CHECK_FALSE(test_of({})); }

TEST_CASE("the self-test is small: it takes a few milliseconds on a CPU thread") {
    std::uint64_t hashes = 0;
    CHECK_FALSE(test_of(
        [&](const Sha256dJob& job, NonceRange range, ScanResult&) { hashes += range.count * job.versions().size(); }));
    CHECK(hashes > 1000);
    CHECK(hashes <= 4000);
}

TEST_CASE("a device that never finds anything misses the known block") {
    const auto reason = test_of([](const Sha256dJob&, NonceRange, ScanResult& result) { result.clear(); });
    REQUIRE(reason);
    CHECK(*reason == "self-test failed (block 100000): it missed nonce 274148111");
}

TEST_CASE("wrong devices fail the self-test") {
    const std::vector<std::pair<const char*, Tamper>> wrongs{
        {"misses the range's last nonce",
         filter([](NonceRange r, Candidate c) { return c.nonce != r.first + (r.count - 1); })},
        {"misses the range's first nonce", filter([](NonceRange r, Candidate c) { return c.nonce != r.first; })},
        {"misses the last nonce of all", filter([](NonceRange, Candidate c) { return c.nonce != 0xffffffff; })},
        {"misses nonce 0", filter([](NonceRange, Candidate c) { return c.nonce != 0; })},
        {"rounds counts down to 16",
         filter([](NonceRange r, Candidate c) { return c.nonce - r.first < r.count / 16 * 16; })},
        {"takes nonces for signed", filter([](NonceRange, Candidate c) { return c.nonce < 0x80000000; })},
        {"knows one version only", filter([](NonceRange, Candidate c) { return c.version_index == 0; })},
        {"knows four versions only", filter([](NonceRange, Candidate c) { return c.version_index < 4; })},
        {"gives each candidate twice",
         [](const Sha256dJob&, NonceRange, ScanResult& result) {
             const auto items = result.candidates.items();
             for (const Candidate& candidate : items) result.candidates.push(candidate);
         }},
        {"rounds counts up",
         [](const Sha256dJob& job, NonceRange range, ScanResult& result) {
             const auto next = static_cast<std::uint32_t>(range.first + range.count);
             if (passes_top_word(test::last_word(job, 0, next), job.target_top())) result.candidates.push({0, next});
         }},
        {"compares the target with < instead of <=",
         [](const Sha256dJob& job, NonceRange range, ScanResult& result) {
             filter([&job](NonceRange, Candidate c) {
                 return job.target_top() == 0 ||
                        passes_top_word(test::last_word(job, c.version_index, c.nonce), job.target_top() - 1);
             })(job, range, result);
         }},
        {"compares the target as a signed number",
         [](const Sha256dJob& job, NonceRange range, ScanResult& result) {
             result.clear();
             for (std::uint32_t v = 0; v < job.versions().size(); ++v) {
                 for (std::uint64_t i = 0; i < range.count; ++i) {
                     const auto nonce = static_cast<std::uint32_t>(range.first + i);
                     const auto top = static_cast<std::int32_t>(__builtin_bswap32(test::last_word(job, v, nonce)));
                     if (top <= static_cast<std::int32_t>(job.target_top())) result.candidates.push({v, nonce});
                 }
             }
         }},
        {"always overflows",
         [](const Sha256dJob&, NonceRange, ScanResult& result) {
             while (!result.candidates.overflow()) result.candidates.push({});
         }},
    };
    for (const auto& [name, tamper] : wrongs) {
        INFO(name);
        const auto reason = test_of(tamper);
        REQUIRE(reason);
        CHECK(reason->rfind("self-test failed (", 0) == 0);
    }
}

TEST_CASE("what a device throws in its self-test is passed on") {
    CHECK_THROWS_AS(test_of([](const Sha256dJob&, NonceRange, ScanResult&) { throw DeviceError("out of memory"); }),
                    DeviceError);
}
