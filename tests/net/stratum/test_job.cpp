// Tests of jobs: targets, headers against a plain rebuilding, the extremes of extranonces, time, shares.
#include <limits>
#include <set>

#include "host/block/checker.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

std::string top(int zeros, const std::string& digits) {
    std::string text = std::string(static_cast<std::size_t>(zeros), '0') + digits;
    return text + std::string(64 - text.size(), '0');
}

}  // namespace

TEST_CASE("Every positive difficulty has a target") {
    const auto hex = [](double difficulty) { return share_target(difficulty).value().hex(); };
    CHECK(hex(1) == top(8, "ffff"));
    CHECK(hex(0.5) == top(7, "1fffe"));
    CHECK(hex(65536) == top(12, "ffff"));
    CHECK(hex(1e15) == target_from_difficulty("1000000000000000").hex());
    for (const double difficulty : {0.002, 1e-5, 0.001164135687528045}) {  // not exact as binary numbers
        CHECK(difficulty_of(share_target(difficulty).value()) == Approx(difficulty).epsilon(1e-14));
    }
    const std::string easiest(64, 'f');
    const std::string hardest = std::string(63, '0') + "1";
    CHECK(hex(1e-12) == easiest);
    CHECK(hex(1e-300) == easiest);
    CHECK(hex(std::numeric_limits<double>::denorm_min()) == easiest);
    CHECK(hex(1e300) == hardest);
    CHECK(hex(std::numeric_limits<double>::max()) == hardest);
    for (const double wrong : {0.0, -0.0, -1.0, -1e300, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_FALSE(share_target(wrong));
    }
}

TEST_CASE("Headers are what the protocol's description gives") {
    const json params = notify_params("1");
    struct Row {
        const char* extranonce1;
        unsigned size;
        std::uint64_t index;
        const char* extranonce2;
    };
    const Row rows[] = {
        {"f00dcafe", 4, 0, "00000000"},
        {"f00dcafe", 4, 0x1234, "34120000"},
        {"", 8, 1, "0100000000000000"},
        {"", 8, 0xffffffffffffffff, "ffffffffffffffff"},
        {"0123456789abcdeffedcba9876543210", 1, 255, "ff"},
        {"0123456789abcdeffedcba98765432100123456789abcdeffedcba9876543210", 9, 0x0102, "020100000000000000"},
        {"f00dcafe", 16, 0xffffffffffffffff, "ffffffffffffffff0000000000000000"},
        {"", 0, 0, ""},
        {"00", 3, 0x010203, "030201"}};
    for (const Row& row : rows) {
        INFO(row.extranonce1 << " " << row.index);
        const auto job = make_job(parameters(row.extranonce1, row.size), params);
        const BlockHeader header = job->header(row.index);
        CHECK(job->extranonce2(row.index) == row.extranonce2);
        CHECK(job->extranonce1() == row.extranonce1);
        CHECK(header.merkle_root() == root_of(params, row.extranonce1, row.extranonce2));
        CHECK(header.version() == 0x20000000);
        CHECK(header.nbits() == 0x207fffff);
        CHECK(header.time() == 0x6b001bdc);
        CHECK(header.nonce() == 0);
        // Words of the previous hash, the last one first, as block explorers print it.
        CHECK(header.previous_hash().hex() == "449261e0bac8d8dd7e70dc48e29cae70d549f622e589ee7c5f8c140eddf831d2");
    }
}

TEST_CASE("After the last extranonce2 the time moves on, so that no two headers are equal") {
    const auto job = make_job(parameters("f00dcafe", 1));
    std::set<std::string> headers;
    for (std::uint64_t i = 0; i < 1000; ++i) headers.insert(job->header(i).hex());
    CHECK(headers.size() == 1000);
    CHECK(job->header(255).time() == 0x6b001bdc);
    CHECK(job->header(256).time() == 0x6b001bdc + 1);
    CHECK(job->header(256).merkle_root() == job->header(0).merkle_root());
    CHECK(job->extranonce2(256) == "00");
    CHECK(job->header(1000).time() == 0x6b001bdc + 3);
}

TEST_CASE("Extranonce2 may begin anywhere, and still has every value once before the time moves on") {
    JobParameters shifted = parameters("f00dcafe", 1);
    shifted.first_extranonce2 = 0xabcdef00000000fe;
    const auto job = make_job(shifted);
    const auto plain = make_job(parameters("f00dcafe", 1));
    CHECK(job->extranonce2(0) == "fe");
    CHECK(job->extranonce2(1) == "ff");
    CHECK(job->extranonce2(2) == "00");
    CHECK(job->header(0) == plain->header(0xfe));
    CHECK(job->header(2) == plain->header(0));
    std::set<std::string> headers;
    for (std::uint64_t index = 0; index < 256; ++index) {
        CHECK(job->header(index).time() == plain->header(0).time());
        headers.insert(job->header(index).hex());
    }
    CHECK(headers.size() == 256);
    CHECK(job->header(256).time() == plain->header(0).time() + 1);
    CHECK(job->extranonce2(256) == "fe");
}

TEST_CASE("The time is the pool's until the job is a minute old") {
    auto now = std::make_shared<SteadyTime>(std::chrono::hours(5));
    JobParameters chosen = parameters();
    chosen.received = *now;
    chosen.clock = [now] { return *now; };
    const auto job = make_job(chosen);
    const auto at = [&](std::chrono::milliseconds age) {
        *now = chosen.received + age;
        return job->header(0).time() - 0x6b001bdc;
    };
    CHECK(at(std::chrono::seconds(0)) == 0);
    CHECK(at(std::chrono::milliseconds(60'999)) == 0);
    CHECK(at(std::chrono::seconds(61)) == 61);
    CHECK(at(std::chrono::milliseconds(90'900)) == 90);
    CHECK(at(std::chrono::seconds(6000)) == 6000);
    CHECK(at(std::chrono::hours(1000)) == 6000);
    CHECK(at(std::chrono::seconds(-5)) == 0);
}

TEST_CASE("Version bits: the pool's, of those the ones for miners, of those the ones that are zero") {
    JobParameters chosen = parameters();
    const auto mask = [&](std::uint32_t granted, const char* version) {
        chosen.version_mask = granted;
        json params = notify_params("1");
        params[5] = version;
        return make_job(chosen, params)->version_mask();
    };
    CHECK(mask(0, "20000000") == 0);
    CHECK(mask(0x1fffe000, "20000000") == 0x1fffe000);
    CHECK(mask(0x1fffe000, "30000000") == 0x0fffe000);
    CHECK(mask(0xffffffff, "20000000") == 0x1fffffe0);
    CHECK(mask(0x00c00000, "20400000") == 0x00800000);
    CHECK(mask(0x00001fff, "20000000") == 0x00001fe0);
    CHECK(mask(0x0000001f, "20000000") == 0);
}

TEST_CASE("A hit becomes a share") {
    JobParameters chosen = parameters("f00dcafe", 4);
    chosen.version_mask = 0x1fffe000;
    chosen.difficulty = 0.25;
    const auto job = make_job(chosen);
    const StratumShare share = share_of(job, 0x0102, 0xdeadbeef, 0x00006000);
    CHECK(share.job_id == "1");
    CHECK(share.extranonce1 == "f00dcafe");
    CHECK(share.extranonce2 == "02010000");
    CHECK(share.time == 0x6b001bdc);
    CHECK(share.nonce == 0xdeadbeef);
    CHECK(share.version_bits == 0x00006000);
    CHECK(share.difficulty == 0.25);
    CHECK_FALSE(share.solves_block);
    CHECK(share_of(job, 1, 1, 0, true).solves_block);  // regtest: any hash below 7fffff00…
    CHECK(job->block_target().hex() == top(0, "7fffff"));
}

TEST_CASE("A share's version bits, with a bit of the job's own inside the mask") {
    JobParameters chosen = parameters();
    chosen.version_mask = 0x1fffe000;
    json params = notify_params("1");
    params[5] = "30000000";
    const auto share = [&](VersionBits form) {
        chosen.rolling.form = form;
        return share_of(make_job(chosen, params), 0, 1, form == VersionBits::kNone ? 0 : 0x00006000);
    };
    CHECK(share(VersionBits::kMasked).version_bits == 0x10006000);
    CHECK(share(VersionBits::kMasked).job_has_masked_bits);
    CHECK(share(VersionBits::kChanged).version_bits == 0x00006000);
    CHECK(share(VersionBits::kNone).version_bits == 0);
    CHECK(make_job(chosen, params)->version_mask() == 0);
    params[5] = "20000000";
    CHECK_FALSE(share(VersionBits::kMasked).job_has_masked_bits);
}

TEST_CASE("A job that continues another leaves out the headers of that one") {
    const auto first = make_job(parameters());
    std::set<std::string> headers;
    for (std::uint64_t i = 0; i < 50; ++i) headers.insert(first->header(i).hex());
    BitcoinNotify again = parse_bitcoin_notify(notify_params("1"));
    again.id = "2";
    CHECK(again.same_work(first->notify()));
    const auto second = make_job(again, parameters(), first.get());
    const auto third = make_job(again, parameters(), second.get());  // made before the second was used
    for (std::uint64_t i = 0; i < 50; ++i) headers.insert(second->header(i).hex());
    for (std::uint64_t i = 50; i < 100; ++i) headers.insert(first->header(i).hex());  // a device that is late
    const auto fourth = make_job(again, parameters(), second.get());
    for (std::uint64_t i = 0; i < 50; ++i) headers.insert(fourth->header(i).hex());
    CHECK(headers.size() == 200);
    JobHit found;
    found.index = 3;
    found.hit.header = fourth->header(3);
    const std::string extranonce2 = fourth->share(found).extranonce2;
    CHECK(fourth->header(3).merkle_root() == root_of(notify_params("1"), "f00dcafe", extranonce2));
    BitcoinNotify other = again;
    other.time += 1;
    CHECK_FALSE(other.same_work(again));
    (void)third;
}

TEST_CASE("A job that continues one of which no header was made yet leaves out those that may be made") {
    const auto first = make_job(parameters());
    const BitcoinNotify notify = parse_bitcoin_notify(notify_params("1"));
    const auto second = make_job(notify, parameters(), first.get());
    const auto third = make_job(notify, parameters(), second.get());
    std::set<std::string> headers;
    for (const StratumJob* job : {first.get(), second.get(), third.get()}) {
        for (std::uint64_t i = 0; i < 50; ++i) headers.insert(job->header(i).hex());
    }
    CHECK(headers.size() == 150);
}

TEST_CASE("The coinbase of each header is the one that its merkle root was made from") {
    JobParameters shifted = parameters("f00dcafe", 4);
    shifted.first_extranonce2 = 0xfffffffe;
    json params = notify_params("1");
    params[4] = json::array();  // the root is the coinbase's hash
    const auto first = make_job(shifted, params);
    (void)first->header(5);
    const auto second = make_job(parse_bitcoin_notify(params), shifted, first.get());
    for (std::uint64_t index = 0; index < 4; ++index) {
        CHECK(double_sha256(first->coinbase(index)) == first->header(index).merkle_root());
        CHECK(double_sha256(second->coinbase(index)) == second->header(index).merkle_root());
    }
}
