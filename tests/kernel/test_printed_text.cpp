// Tests of the printed text, compiled for a prelude that counts: the operations per nonce against the counts.
#include <map>

#include "header_words.hpp"
#include "host/block/checker.hpp"
#include "kernel/print.hpp"
#include "kernel/program.hpp"
#include "kernel/sha256d_job.hpp"
#include "random_headers.hpp"
#include "search_program/sizes.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace counting_prelude {

using gpuminer::kernel::Op;

std::map<Op, std::uint64_t> executed;

// A word that can be used with the ten verbs only.
struct word {
    std::uint32_t value = 0;
};

word count(Op op, std::uint32_t value) {
    ++executed[op];
    return {value};
}
word add(word x, word y) { return count(Op::kAdd, x.value + y.value); }
word rotr(word x, int n) { return count(Op::kRotr, sha256::rotr(x.value, n)); }
word shr(word x, int n) { return count(Op::kShr, sha256::shr(x.value, n)); }
word xor3(word x, word y, word z) { return count(Op::kXor3, sha256::xor3(x.value, y.value, z.value)); }
word ch(word x, word y, word z) { return count(Op::kCh, sha256::ch(x.value, y.value, z.value)); }
word maj(word x, word y, word z) { return count(Op::kMaj, sha256::maj(x.value, y.value, z.value)); }
word constant(std::uint32_t value) { return {value}; }

using DigestWords = std::array<word, 8>;

std::uint32_t run_hash2(const DigestWords& digest_words) {
    const auto digest = [&](std::size_t i) { return digest_words.at(i); };
#include "search_program/hash2.inc"
    return h7.value;
}

std::uint32_t run_fixed(const Sha256dJob& scan_job, std::uint32_t nonce_word) {
    DigestWords digest;
    const word nonce{nonce_word};
    const auto job = [&](std::size_t i) { return word{scan_job.job_words()[i]}; };
    const auto export_digest = [&](std::size_t i, word x) { digest.at(i) = x; };
#include "search_program/fixed_hash1.inc"
    return run_hash2(digest);
}

std::array<word, kRolledSharedWords> run_nonce(const Sha256dJob& scan_job, std::uint32_t nonce_word) {
    std::array<word, kRolledSharedWords> shared;
    const word nonce{nonce_word};
    const auto job = [&](std::size_t i) { return word{scan_job.job_words()[i]}; };
    const auto export_shared = [&](std::size_t i, word x) { shared.at(i) = x; };
#include "search_program/rolled_nonce.inc"
    return shared;
}

std::uint32_t run_version(const Sha256dJob& scan_job, std::size_t version_index,
                          const std::array<word, kRolledSharedWords>& shared_words, std::uint32_t nonce_word) {
    DigestWords digest;
    const word nonce{nonce_word};
    const auto job = [&](std::size_t i) { return word{scan_job.job_words()[i]}; };
    const auto shared = [&](std::size_t i) { return shared_words.at(i); };
    const auto version = [&](std::size_t i) { return word{scan_job.version_words(version_index)[i]}; };
    const auto export_digest = [&](std::size_t i, word x) { digest.at(i) = x; };
#include "search_program/rolled_hash1.inc"
    return run_hash2(digest);
}

}  // namespace counting_prelude

namespace {

using gpuminer::kernel::make_search_program;
using gpuminer::kernel::Op;
using gpuminer::kernel::Program;
using gpuminer::kernel::StageName;
using Counts = std::map<Op, std::uint64_t>;

// What `run` executes.
template <class Run>
Counts executed_by(Run run) {
    counting_prelude::executed.clear();
    run();
    return counting_prelude::executed;
}

Counts counted(const Program& program, std::initializer_list<StageName> stages) {
    Counts total;
    for (const StageName name : stages) {
        for (const auto& [op, count] : count_verbs(program.stage(name))) total[op] += count;
    }
    return total;
}

}  // namespace

TEST_CASE("the fixed program's text computes the hash in as many verbs as counted") {
    for (const BlockHeader& header : random_headers(50, 7)) {
        const std::array versions = {header.version()};
        const Sha256dJob job(header.bytes, versions, 0);
        std::uint32_t h7 = 0;
        const Counts executed = executed_by([&] { h7 = counting_prelude::run_fixed(job, words_of(header).nonce); });
        REQUIRE(h7 == h7_of(double_sha256(header.bytes)));
        REQUIRE(executed == counted(make_search_program(1), {StageName::kHash1, StageName::kHash2}));
    }
}

TEST_CASE("the rolled program's text computes each version's hash in as many verbs as counted") {
    const Program program = make_search_program(8);
    for (const BlockHeader& header : random_headers(50, 8)) {
        const std::array versions = {header.version(), header.version() ^ 0x1fffe000, 4u};
        const Sha256dJob job(header.bytes, versions, 0);
        const std::uint32_t nonce = words_of(header).nonce;
        std::array<counting_prelude::word, kRolledSharedWords> shared;
        REQUIRE(executed_by([&] { shared = counting_prelude::run_nonce(job, nonce); }) ==
                counted(program, {StageName::kNonce}));
        for (std::size_t v = 0; v < versions.size(); ++v) {
            std::uint32_t h7 = 0;
            const Counts executed = executed_by([&] { h7 = counting_prelude::run_version(job, v, shared, nonce); });
            REQUIRE(h7 == h7_of(double_sha256(header.with_version(versions[v]).bytes)));
            REQUIRE(executed == counted(program, {StageName::kHash1, StageName::kHash2}));
        }
    }
}
