// VerusHash as an algorithm of the program, and its CPU backend.
#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "host/block/algorithm.hpp"
#include "host/errors.hpp"
#include "host/search/self_test.hpp"
#include "tests/catch.hpp"
#include "verushash/algorithm.hpp"
#include "verushash/cpu_backend.hpp"
#include "verushash/example.hpp"
#include "verushash/fast_forms.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;

namespace {

/// Finds what another finds, but for the first of it.
class MissingOne final : public Device {
public:
    explicit MissingOne(std::unique_ptr<Device> other) : other_(std::move(other)) {}
    [[nodiscard]] const DeviceInfo& info() const override { return other_->info(); }
    [[nodiscard]] std::uint64_t batch() const override { return other_->batch(); }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override {
        ScanResult all;
        other_->scan(job, range, all);
        for (std::size_t i = 1; i < all.candidates.items().size(); ++i)
            result.candidates.push(all.candidates.items()[i]);
    }

private:
    std::unique_ptr<Device> other_;
};

}  // namespace

TEST_CASE("a job is for one version, its header's") {
    constexpr std::array<std::uint32_t, 2> kTwo{kBlockVersion, kBlockVersion + 1};
    const auto first = std::span(kTwo).first(1), second = std::span(kTwo).last(1);
    const VerusJob job(example_header(), first, 7), other(example_header(), first, 7);
    CHECK(job.header() == example_header());
    CHECK(job.target_top() == 7);
    CHECK(job.serial_number() != other.serial_number());
    CHECK_THROWS_AS(VerusJob(example_header(), kTwo, 7), std::invalid_argument);
    CHECK_THROWS_AS(VerusJob(example_header(), second, 7), std::invalid_argument);
}

TEST_CASE("example headers: of one all is hashed, of the other the canonical form") {
    CHECK(canonical_form(example_header()) == example_header());
    CHECK(canonical_form(merged_example_header()) != merged_example_header());
    BlockHeader header(kVerusHash);
    CHECK_THROWS_AS(kVerusHash.require_valid(header), InputError);  // all zero
    const HeaderInput input = parse_header_hex(kVerusHash.embedded_blocks().front().header_hex, kVerusHash);
    CHECK(input.header.version() == kBlockVersion);
    CHECK(input.header.nonce() == 0);
}

TEST_CASE("devices of the CPU backend pass the self-test, and one that misses a hit does not") {
    const std::vector<Probe> probes = kVerusHashCpuBackend.probe({});
    REQUIRE_FALSE(probes.empty());
    if (usable_fast_form() == nullptr) {
        CHECK_FALSE(probes.front().usable);
        std::cout << "SKIPPED: " << probes.front().reason << "\n";
        return;
    }
    CHECK(probes.front().info.algorithm == &kVerusHash);
    const auto open = [&] { return kVerusHashCpuBackend.open(probes.front(), {}); };
    const std::unique_ptr<Device> device = open();
    CHECK(self_test(*device) == std::nullopt);
    CHECK(self_test(*device) == std::nullopt);  // with what it has kept
    MissingOne missing(open());
    CHECK(self_test(missing).value_or("").starts_with("self-test failed"));
}
