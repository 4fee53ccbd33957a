// Tests of every backend, device, instruction set, kernel variant and version count against OpenSSL.
#include <set>

#include "gpuminer_every_backend.hpp"
#include "scanners.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// Opened once for all tests: opening may compile.
template <class Backend>
const Scanners& scanners_of() {
    static const Scanners scanners(Backend::kName);
    if (scanners.devices().empty()) {
        std::cout << "SKIPPED " << Backend::kName << ": " << scanners.reasons() << std::endl;
    }
    return scanners;
}

constexpr std::uint64_t kNonceSpace = std::uint64_t{1} << 32;
constexpr std::uint32_t kQuarter = 0x3fffffff;  // a quarter of all nonces passes

// One nonce, and round the sizes of work groups and of vectors.
constexpr std::uint64_t kNastyCounts[] = {1,   2,   15,  16,  17,  63,  64,  65,   127,  128,
                                          129, 255, 256, 257, 511, 513, 999, 1024, 2048, 2049};
constexpr std::uint64_t kLongest = 2049;
constexpr std::uint32_t kNastyStarts[] = {
    0,                                                  // the first nonce of all
    0xf9,                                               // crosses from one low byte to the next
    0x00fffff5,                                         // crosses the third byte
    0x7ffffff9,                                         // crosses to where a signed number turns negative
    static_cast<std::uint32_t>(kNonceSpace - kLongest)  // ends with the last nonce of all
};

}  // namespace

TEMPLATE_TEST_CASE("nasty ranges on every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    const BlockHeader header = random_headers(1, 20).front();
    std::size_t turn = 0;
    for (const std::uint32_t start : kNastyStarts) {
        const Oracle oracle(header, some_versions(kVersionCounts.back()), {start, kLongest});
        ++turn;
        for (const std::uint32_t versions : kVersionCounts) {
            const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
            ++turn;
            for (const std::uint64_t count : kNastyCounts) {
                if (++turn % 4 != 0) continue;  // any two of start, versions and count meet, not all three
                const NonceRange range{start, count};
                const Keys expected = oracle.keys(versions, range, kQuarter);
                for (const Scanner& scanner : scanners.of_form(versions > 1)) {
                    INFO(scanner.name << ", " << versions << " versions, " << count << " nonces from " << start);
                    REQUIRE(scanner.keys(job, range) == expected);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE("ranges up to the last nonce on every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    const BlockHeader header = random_headers(1, 21).front();
    const Oracle oracle(header, some_versions(3), {static_cast<std::uint32_t>(kNonceSpace - kLongest), kLongest});
    for (const std::uint32_t versions : {1u, 3u}) {
        const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
        for (const std::uint64_t count : kNastyCounts) {
            const NonceRange range{static_cast<std::uint32_t>(kNonceSpace - count), count};
            for (const Scanner& scanner : scanners.of_form(versions > 1)) {
                INFO(scanner.name << ", " << versions << " versions, the last " << count << " nonces");
                REQUIRE(scanner.keys(job, range) == oracle.keys(versions, range, kQuarter));
            }
        }
    }
}

TEMPLATE_TEST_CASE("random headers, versions, ranges and targets on every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    Random random(22);
    for (int i = 0; i < 60; ++i) {
        const BlockHeader header = random_header(random);
        Versions versions;
        for (std::uint32_t v = 0; v < 1 + random() % 20; ++v) versions.push_back(static_cast<std::uint32_t>(random()));
        if (i % 2 == 0) versions.resize(1);
        const std::uint64_t count = 1 + random() % 1500;
        const auto first = static_cast<std::uint32_t>(random() % (kNonceSpace - count + 1));
        const auto target_top = static_cast<std::uint32_t>(random() >> random() % 9);  // all to one in 256 pass
        const Oracle oracle(header, versions, {first, count});
        const Keys expected = oracle.keys(static_cast<std::uint32_t>(versions.size()), {first, count}, target_top);
        for (const Scanner& scanner : scanners.of_form(versions.size() > 1)) {
            INFO(scanner.name << ", " << header.hex() << ", " << versions.size() << " versions, " << count
                              << " nonces from " << first << ", target " << target_top);
            REQUIRE(scanner.keys(job_of(header, versions, target_top), {first, count}) == expected);
        }
    }
}

TEMPLATE_TEST_CASE("targets at the edges on every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    const BlockHeader header = random_headers(1, 23).front();
    const NonceRange range{0x12345, 700};
    const Oracle oracle(header, some_versions(2), range);
    std::set<std::uint32_t> targets = {0, 1, 0xffffffff, 0xfffffffe};
    for (unsigned bit = 0; bit < 32; ++bit) {
        targets.insert((std::uint32_t{1} << bit) - 1);
        targets.insert(std::uint32_t{1} << bit);
    }
    targets.insert({oracle.top(0, 7), oracle.top(0, 7) - 1, oracle.top(1, 9), oracle.top(1, 9) - 1});
    for (const std::uint32_t versions : {1u, 2u}) {
        for (const std::uint32_t target_top : targets) {
            const Sha256dJob job = job_of(header, some_versions(versions), target_top);
            for (const Scanner& scanner : scanners.of_form(versions > 1)) {
                INFO(scanner.name << ", " << versions << " versions, target " << target_top);
                REQUIRE(scanner.keys(job, range) == oracle.keys(versions, range, target_top));
            }
        }
    }
}

TEMPLATE_TEST_CASE("results that just fit, and one more, on every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    const BlockHeader header = random_headers(1, 24).front();
    for (const std::uint32_t versions : {1u, 8u}) {
        const Sha256dJob job = job_of(header, some_versions(versions), 0xffffffff);  // every nonce is a candidate
        const std::uint64_t fitting = Candidates::kCapacity / versions;
        for (const Scanner& scanner : scanners.of_form(versions > 1)) {
            INFO(scanner.name << ", " << versions << " versions");
            const Keys keys = scanner.keys(job, {100, fitting});
            REQUIRE(keys.size() == Candidates::kCapacity);
            REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
            REQUIRE(keys.front() == std::pair(0u, 100u));
            REQUIRE(keys.back() == std::pair(versions - 1, static_cast<std::uint32_t>(100 + fitting - 1)));
            for (const std::uint64_t more : {fitting + 1, fitting * 5}) {
                Candidates found;
                scanner.scan(job, {100, more}, found);
                REQUIRE(found.overflow());
                REQUIRE(found.items().size() <= Candidates::kCapacity);
            }
            // What overflowed leaves nothing behind.
            REQUIRE(scanner.keys(job, {200, 3}).size() == 3 * versions);
        }
    }
}

TEMPLATE_TEST_CASE("every real header is found by every backend", "", GPUMINER_EVERY_BACKEND) {
    const Scanners& scanners = scanners_of<TestType>();
    if (scanners.devices().empty()) return;
    const auto headers = load_real_headers();
    REQUIRE(headers.size() == 7205);
    for (std::uint32_t i = 0; i < headers.size(); ++i) {
        const BlockHeader& header = headers[i].header;
        const std::uint32_t top = target_from_nbits(header.nbits()).top_word();
        const std::uint32_t first = header.nonce() - std::min(i * 7 % 301, header.nonce());
        const NonceRange range{first, std::min<std::uint64_t>(i * 13 % 299 + 302, kNonceSpace - first)};
        // Alone, then among several: versions that differ in BIP 320's bits, the true one in any place.
        const std::uint32_t count = i % 4 == 0 ? kVersionCounts[i / 4 % kVersionCounts.size()] : 1;
        const std::uint32_t place = i / 7 % count;
        Versions versions;
        for (std::uint32_t v = 0; v < count; ++v)
            versions.push_back(header.version() ^ (v + count - place) % count << 13);
        const Sha256dJob job = job_of(header, versions, top);
        const auto& of_form = scanners.of_form(count > 1);
        const Scanner& in_turn = of_form[i / 3 % of_form.size()];
        const Scanner& scanner = in_sample(in_turn.name, i) ? in_turn : of_form.front();
        const Keys keys = scanner.keys(job, range);
        INFO(scanner.name << ", " << headers[i].network << " " << headers[i].height << ", " << header.hex());
        REQUIRE(std::binary_search(keys.begin(), keys.end(), std::pair(place, header.nonce())));
        for (const auto& [version_index, nonce] : keys) {
            const BlockHeader candidate = header.with_version(versions.at(version_index)).with_nonce(nonce);
            REQUIRE(double_sha256(candidate.bytes).top_word() <= top);
        }
    }
}
