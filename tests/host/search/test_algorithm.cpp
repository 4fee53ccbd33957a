// Tests of a search for an algorithm that it knows through host/block/algorithm.hpp alone: one made up for them, with
// headers of 300 bytes, other places of their fields, and SHA-256 (once) as the hash.
#include "host/block/algorithm.hpp"

#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/search/request_source.hpp"
#include "host/text/text.hpp"
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

std::vector<KnownScan> made_up_scans();

struct MadeUpJob final : ScanJob {
    MadeUpJob(const BlockHeader& of, std::span<const std::uint32_t> versions, std::uint32_t target_top)
        : ScanJob(versions, target_top), header(of) {}
    const BlockHeader header;
};

Hash256 made_up_hash(const BlockHeader& header) {
    Digest digest{};
    SHA256(header.bytes.data(), header.bytes.size(), digest.data());
    return display_order(digest);
}

const Algorithm kMadeUp{
    .name = "made-up",
    .layout =
        {.size = 300, .version = 200, .previous_hash = 0, .merkle_root = 100, .time = 40, .nbits = 50, .nonce = 170},
    .size_without_nonce = 0,
    .header_text = "600 hex digits (300 bytes)",
    .command_for_header = "made-cli getblockheader HASH",
    .rolls_versions = true,
    .embedded_job = "",
    .require_valid = [](const BlockHeader&) {},
    .hash = made_up_hash,
    .make_job = [](const BlockHeader& header, std::span<const std::uint32_t> versions, std::uint32_t target_top)
        -> std::unique_ptr<const ScanJob> { return std::make_unique<MadeUpJob>(header, versions, target_top); },
    .known_scans = made_up_scans,
    .embedded_blocks = []() -> std::span<const EmbeddedBlock> { return {}; },
};

std::vector<KnownScan> made_up_scans() {
    return {{"every nonce", BlockHeader(kMadeUp), {1, 2}, 0xffffffff, {0xffffffff - 4, 5}},
            {"half of them", BlockHeader(kMadeUp), {7}, 0x7fffffff, {1000, 60}}};
}

class MadeUpDevice final : public Device {
public:
    explicit MadeUpDevice(const Algorithm& algorithm = kMadeUp) {
        info_.name = "made-up:0";
        info_.algorithm = &algorithm;
    }
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint64_t batch() const override { return 500; }
    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<MadeUpJob>();
        for (std::uint32_t version = 0; version < job.versions().size(); ++version) {
            for (std::uint64_t i = 0; i < range.count; ++i) {
                const auto nonce = static_cast<std::uint32_t>(range.first + i);
                const BlockHeader header = job.header.with_version(job.versions()[version]).with_nonce(nonce);
                if (made_up_hash(header).top_word() <= job.target_top()) result.candidates.push({version, nonce});
            }
        }
    }

private:
    DeviceInfo info_;
};

BlockHeader made_up_header() {
    BlockHeader header(kMadeUp);
    for (std::size_t i = 0; i < header.bytes.size(); ++i) header.bytes[i] = static_cast<std::uint8_t>(3 * i);
    return header;
}

SearchRequest made_up_request() {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 100, 4099);
    request.header = made_up_header();
    request.version_mask = kMask;
    return request;
}

// ----- the same with a checker that takes its time -----

unsigned slow_checks = 0;
std::function<void()> after_slow_check;

Hash256 slow_hash(const BlockHeader& header) {
    pass_time(1ms);
    ++slow_checks;
    after_slow_check();
    return made_up_hash(header);
}

const Algorithm kSlow = [] {
    Algorithm algorithm = kMadeUp;
    algorithm.hash = slow_hash;
    return algorithm;
}();

}  // namespace

TEST_CASE("a header's fields lie where its algorithm has them") {
    BlockHeader header = made_up_header();
    header.set_version(0x01020304);
    header.set_nonce(0xa0b0c0d0);
    header.set_time(77);
    CHECK(to_hex(std::span(header.bytes).subspan(200, 4)) == "04030201");
    CHECK(to_hex(std::span(header.bytes).subspan(170, 4)) == "d0c0b0a0");
    CHECK(header.time() == 77);
    CHECK(header.previous_hash().hex().ends_with("09060300"));
    const HeaderInput read = parse_header_hex(header.hex(), kMadeUp);
    CHECK(read.header == header);
    CHECK(read.has_nonce);
    CHECK_THROWS_WITH(parse_header_hex(header.hex().substr(8), kMadeUp),
                      "expected 600 hex digits (300 bytes), got 592 digits");
    CHECK_THROWS_AS(parse_header_hex("", kMadeUp), InputError);
    CHECK_THROWS_AS(parse_header_hex(header.hex()), InputError);  // Bitcoin's are shorter
}

TEST_CASE("a search finds what its header's algorithm calls a hit") {
    const SearchRequest request = made_up_request();
    Devices devices;
    devices.push_back(std::make_unique<MadeUpDevice>());
    const SearchReport report = LoneSearch(request, std::move(devices)).run();
    std::vector<Key> expected, found;
    for (const std::uint32_t version : versions_of(request)) {
        for (std::uint32_t nonce = request.start; nonce <= request.end; ++nonce) {
            const BlockHeader header = request.header.with_version(version).with_nonce(nonce);
            if (made_up_hash(header) <= request.target) expected.emplace_back(version, nonce);
        }
    }
    for (const Hit& hit : report.hits) {
        found.emplace_back(hit.version, hit.nonce);
        CHECK(made_up_hash(hit.header) == hit.hash);
    }
    CHECK(report.ending == Ending::kFinished);
    CHECK(expected.size() > 50);
    CHECK(found == expected);
}

TEST_CASE("a device of another algorithm than the job's is quarantined") {
    Devices devices;
    devices.push_back(std::make_unique<FakeDevice>("fake:0", genesis(), Behaviour{}));
    const SearchReport report = LoneSearch(made_up_request(), std::move(devices)).run();
    CHECK(report.ending == Ending::kFailed);
    CHECK(report.hits.empty());
}

TEST_CASE("candidates that take long to check hold up neither a stop nor what is found") {
    SearchRequest request = made_up_request();
    request.header.algorithm = &kSlow;
    request.target.bytes.fill(0xff);
    Devices devices;
    devices.push_back(std::make_unique<MadeUpDevice>(kSlow));
    Fleet fleet(std::move(devices));
    const auto source = std::make_shared<RequestSource>(request, SearchRecord{});
    Search search(source, fleet);
    constexpr unsigned kStopAfter = 800;  // the first unit has 496 candidates
    slow_checks = 0;
    after_slow_check = [&] {
        if (slow_checks == kStopAfter) search.stop(Ending::kLimit);
    };
    const SearchReport report = search.run();
    CHECK(report.ending == Ending::kLimit);
    CHECK(slow_checks - kStopAfter <= 60);  // 50 ms of them at most
    CHECK(report.hits.size() >= kStopAfter / 2);
    const SearchRecord record = source->record();
    CHECK(!record.done.empty());
    CHECK(report.hashes >= record.done.size() * record.group_size);
    CHECK(report.hashes >= report.hits.size());  // those of the part in which the stop came were hashed, too
    for (const auto& interval : record.done.intervals()) {
        const std::uint64_t first = interval.first, end = interval.second;
        const auto is_within = [&](const HitKey& hit) {
            return hit.nonce >= request.start + first && hit.nonce < request.start + end;
        };
        CHECK(static_cast<std::uint64_t>(std::ranges::count_if(record.hits, is_within)) ==
              (end - first) * record.group_size);
    }
}
