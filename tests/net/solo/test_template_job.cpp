// Tests of templates as jobs, and of the blocks made from their hits. The oracle: blocks that real nodes accepted.
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "net/solo/template_job.hpp"
#include "tests/catch.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

struct FakeTime {
    std::int64_t steady_ms = 1'000'900;
    std::int64_t unix_time = 0;
    [[nodiscard]] JobClocks clocks() {
        return {[this] { return steady_ms; }, [this] { return unix_time; }};
    }
};

std::shared_ptr<BlockTemplate> parsed(const nlohmann::json& result) {
    return std::make_shared<BlockTemplate>(parse_block_template(result));
}

std::shared_ptr<BlockTemplate> some_template() {
    return parsed(test::load_template_file("core_regtest_txs.json").at("template"));
}

TemplateJobOptions some_options() {
    TemplateJobOptions options;
    options.script = test::bytes_of("0014751e76e8199196d454941c45d1b3a323f1433bd6");
    return options;
}

}  // namespace

TEST_CASE("recorded templates become the blocks that the nodes accepted, but for what BIP 54 changes", "[template]") {
    const auto all = test::load_recorded_templates();
    REQUIRE(all.size() == 10);
    for (const test::RecordedTemplate& recorded : all) {
        CAPTURE(recorded.file);
        FakeTime time;
        const BlockHeader accepted = recorded.block_header();
        time.unix_time = accepted.time();
        TemplateJobOptions options;
        options.script = recorded.script();
        options.signature = recorded.kSignature;
        options.extranonce_size = 0;
        options.clocks = time.clocks();
        const TemplateJob job(parsed(recorded.block_template), options);
        const BlockHeader header = job.header(0).with_nonce(accepted.nonce());
        CHECK(header.hex().substr(0, 72) == recorded.header.substr(0, 72));
        CHECK(header.hex().substr(72, 64) == recorded.merkle_root_with_bip54());
        CHECK(header.hex().substr(136) == recorded.header.substr(136));
        CHECK(job.target() == target_from_nbits(accepted.nbits()));
        const std::size_t coinbase_at = recorded.block.find(recorded.coinbase_in_block, 160);
        REQUIRE(coinbase_at != std::string::npos);
        CHECK(job.block_hex(0, header) == header.hex() + recorded.block.substr(160, coinbase_at - 160) +
                                              test::with_bip54(recorded.coinbase_in_block, recorded.height()) +
                                              recorded.block.substr(coinbase_at + recorded.coinbase_in_block.size()));
    }
}

TEST_CASE("each index has a coinbase and a header of its own", "[template]") {
    const TemplateJob job(some_template(), some_options());
    std::set<std::string> roots;
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{256}, ~std::uint64_t{0}}) {
        const BlockHeader header = job.header(index);
        roots.insert(header.merkle_root().hex());
        CHECK(header.nonce() == 0);
        // The block holds the coinbase with this extranonce after the header and the count of transactions.
        const std::string block = job.block_hex(index, header);
        CHECK(block.starts_with(header.hex() + "0d"));
        CHECK(block.find(to_hex(job.coinbase().in_block(index))) == 162);
    }
    CHECK(roots.size() == 4);
    CHECK_THROWS_AS(job.block_hex(1, job.header(0)), std::invalid_argument);
}

TEST_CASE("a found block has the version, time and nonce that were hashed", "[template]") {
    const auto job = std::make_shared<const TemplateJob>(some_template(), some_options());
    JobHit found;
    found.job = job;
    found.index = 77;
    found.hit.header = job->header(77).with_version(0x20abc000).with_nonce(0x12345678);
    CHECK(job->block_hex(found).starts_with(found.hit.header.hex()));
}

TEST_CASE("versions are rolled only where the template leaves zeros and no deployment signals", "[template]") {
    const auto mask = [](const std::string& file) {
        const nlohmann::json document = test::load_template_file(file);
        const TemplateJob job(parsed(document.at("template")), some_options());
        CHECK((job.header(0).version() & job.version_mask()) == 0);
        return job.version_mask();
    };
    CHECK(mask("core_regtest_txs.json") == 0x1fffe000);
    CHECK(mask("btcd_simnet_empty_segwit.json") == 0x1fbfe000);                // bit 22 is set
    CHECK(mask("core_regtest_testdummy_version30000000.json") == 0x0fffe000);  // bit 28 is set
    const auto block = some_template();
    block->deployment_bits = 1U << 14 | 1U << 2;  // available, but not signalled by the node
    CHECK(TemplateJob(block, some_options()).version_mask() == 0x1fffa000);
}

TEST_CASE("a header's time is the template's and grows with its age", "[template]") {
    FakeTime time;
    const auto block = some_template();
    block->min_time = 1'000;
    block->time = 2'000;
    time.unix_time = 2'000;
    TemplateJobOptions options = some_options();
    options.clocks = time.clocks();
    const TemplateJob job(block, options);
    const auto later = [&](std::int64_t milliseconds) {
        time.steady_ms += milliseconds;
        time.unix_time = 2'000 + (time.steady_ms - 1'000'900) / 1'000;
        return job.header(0).time();
    };
    CHECK(job.header(0).time() == 2'000);
    CHECK(later(999) == 2'000);
    CHECK(later(1) == 2'001);
    CHECK(later(9'000) == 2'010);
    SECTION("not ahead of this computer's clock") {
        time.unix_time = 2'003;
        CHECK(job.header(0).time() == 2'003);
    }
    SECTION("the template's own where this computer's clock is behind") {
        time.unix_time = 500;
        CHECK(job.header(0).time() == 2'000);
    }
    SECTION("a clock that was put forward changes nothing") {
        time.unix_time = 90'000;
        CHECK(job.header(0).time() == 2'010);
    }
    SECTION(
        "the template's mintime, be it 7,000 s ahead of the clocks, as where BIP 54 bounds a period's first block") {
        nlohmann::json result = test::load_template_file("core_regtest_txs.json").at("template");
        result["curtime"] = 2'000;
        result["mintime"] = 9'000;
        const TemplateJob ahead(parsed(result), options);
        CHECK(ahead.header(0).time() == 9'000);
        time.steady_ms += 60'000;
        time.unix_time += 60;
        CHECK(ahead.header(0).time() == 9'000);  // the job's age is not added to it
        time.steady_ms += 7'000'000;
        time.unix_time += 7'000;
        CHECK(ahead.header(0).time() == time.unix_time);
    }
    SECTION("not after the template's maxtime") {
        block->max_time = 2'005;
        CHECK(TemplateJob(block, options).header(0).time() == 2'000);
        const TemplateJob bounded(block, options);
        time.steady_ms += 60'000;
        time.unix_time += 60;
        CHECK(bounded.header(0).time() == 2'005);
    }
}

TEST_CASE("a job with bounds of the time and another difficulty, as testnets need", "[template]") {
    const auto block = some_template();
    block->min_time = 1'000;
    block->time = 2'000;
    TemplateJobOptions options = some_options();
    FakeTime time;
    time.unix_time = 9'000;
    options.clocks = time.clocks();
    SECTION("not later than") {
        options.latest_time = 2'001;
        const TemplateJob job(block, options);
        time.steady_ms += 60'000;
        CHECK(job.header(0).time() == 2'001);
    }
    SECTION("a fixed time and least difficulty") {
        options.earliest_time = options.latest_time = 3'201;
        options.nbits = 0x1d00ffff;
        const TemplateJob job(block, options);
        CHECK(job.header(0).time() == 3'201);
        CHECK(job.header(0).nbits() == 0x1d00ffff);
        CHECK(job.target() == target_from_nbits(0x1d00ffff));
    }
    SECTION("no time that the template allows") {
        options.latest_time = 999;
        CHECK_THROWS_AS(TemplateJob(block, options), InputError);
    }
}

TEST_CASE("a job refuses what no block could hold", "[template]") {
    TemplateJobOptions options = some_options();
    SECTION("no script") { options.script.clear(); }
    SECTION("a huge script") { options.script.resize(10'001); }
    SECTION("a long text") { options.signature = std::string(76, 'x'); }
    SECTION("a wide extranonce") { options.extranonce_size = 9; }
    SECTION("no target") { options.nbits = 0; }
    CHECK_THROWS_AS(TemplateJob(some_template(), options), InputError);
}
