// Tests of Sha256dJob's tables, made by compiled host stages, against the interpreter's.
#include "kernel/sha256d_job.hpp"

#include <map>

#include "header_words.hpp"
#include "host/block/checker.hpp"
#include "kernel/program.hpp"
#include "random_headers.hpp"
#include "search_program/sizes.hpp"
#include "tests/catch.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::kernel;
using namespace gpuminer::test;

namespace {

using Words = std::vector<std::uint32_t>;
using Tables = std::map<Source, Words>;

// A second interpreter, of one stage: it can start from tables that come from elsewhere.
class StageRun {
public:
    StageRun(const Stage& stage, const Tables& tables) : tables_(tables) {
        for (const Instruction& instruction : stage.code) {
            Words operands;
            for (const Operand& operand : instruction.operands) operands.push_back(read(operand));
            values_.push_back(evaluate(instruction.op, instruction.immediate, operands));
        }
        for (const Operand& exported : stage.exports) exports_.push_back(read(exported));
    }
    [[nodiscard]] const Words& exports() const { return exports_; }
    [[nodiscard]] std::uint32_t read(const Operand& operand) const {
        if (operand.source == Source::kConstant) return operand.index;
        return operand.source == Source::kValue ? values_.at(operand.index)
                                                : tables_.at(operand.source).at(operand.index);
    }

private:
    const Tables& tables_;
    Words values_, exports_;
};

template <class Range>
Words copy(const Range& range) {
    return {range.begin(), range.end()};
}

// H7 by the device's stages alone, from the job's tables.
std::uint32_t device_h7(const Program& program, const Sha256dJob& job, std::size_t version_index, std::uint32_t nonce) {
    Tables tables = {{Source::kNonce, {__builtin_bswap32(nonce)}}, {Source::kJob, copy(job.job_words())}};
    tables[Source::kVersion] = copy(job.version_words(version_index));
    tables[Source::kShared] = StageRun(program.stage(StageName::kNonce), tables).exports();
    tables[Source::kDigest] = StageRun(program.stage(StageName::kHash1), tables).exports();
    return StageRun(program.stage(StageName::kHash2), tables).read(program.h7);
}

std::vector<BlockHeader> some_headers() {
    auto headers = random_headers(20, 5);
    const auto real = load_real_headers();
    for (std::size_t i = 0; i < real.size(); i += 200) headers.push_back(real[i].header);
    return headers;
}

}  // namespace

TEST_CASE("a job for one version holds the fixed program's tables") {
    const Program program = make_search_program(1);
    for (const BlockHeader& header : some_headers()) {
        const std::array versions = {header.version()};
        const Sha256dJob job(header.bytes, versions, 0x1234);
        const HeaderWords words = words_of(header);
        CHECK_FALSE(job.rolled());
        CHECK(job.versions() == Words{header.version()});
        CHECK(job.target_top() == 0x1234);
        CHECK(job.tail() == words.tail);
        REQUIRE(job.midstates().size() == 1);
        CHECK(job.midstates()[0] == words.midstate);
        const Tables inputs = {{Source::kMidstate, copy(words.midstate)}, {Source::kTail, copy(words.tail)}};
        CHECK(copy(job.job_words()) == StageRun(program.stage(StageName::kJob), inputs).exports());
        CHECK(job.version_words(0).empty());
        CHECK(device_h7(program, job, 0, header.nonce()) == h7_of(double_sha256(header.bytes)));
    }
}

TEST_CASE("a job for several versions holds the rolled program's tables for each of them") {
    const Program program = make_search_program(2);
    for (const BlockHeader& header : some_headers()) {
        // The header's own among them, the same twice, and the ends of the number range.
        const std::array<std::uint32_t, 5> versions = {0xffffffff, header.version(), 0, header.version() ^ 0x00002000,
                                                       header.version()};
        const Sha256dJob job(header.bytes, versions, 0);
        CHECK(job.rolled());
        CHECK(job.tail() == words_of(header).tail);
        REQUIRE(job.midstates().size() == versions.size());
        const Tables tail = {{Source::kTail, copy(job.tail())}};
        const Words job_words = StageRun(program.stage(StageName::kJob), tail).exports();
        CHECK(copy(job.job_words()) == job_words);
        for (std::size_t v = 0; v < versions.size(); ++v) {
            const BlockHeader own = header.with_version(versions[v]);
            CHECK(job.midstates()[v] == words_of(own).midstate);
            const Tables inputs = {{Source::kMidstate, copy(job.midstates()[v])}, {Source::kJob, job_words}};
            CHECK(copy(job.version_words(v)) == StageRun(program.stage(StageName::kVersion), inputs).exports());
            CHECK(device_h7(program, job, v, own.nonce()) == h7_of(double_sha256(own.bytes)));
        }
    }
}

TEST_CASE("a job does not depend on the header's own version and nonce fields") {
    const BlockHeader header = random_headers(1, 6).front();
    const std::array<std::uint32_t, 2> versions = {1, 2};
    const Sha256dJob job(header.bytes, versions, 7), other(header.with_version(99).with_nonce(77).bytes, versions, 7);
    CHECK(copy(job.job_words()) == copy(other.job_words()));
    CHECK(job.midstates()[1] == other.midstates()[1]);
    CHECK(copy(job.version_words(1)) == copy(other.version_words(1)));
}

TEST_CASE("a job without versions is refused") {
    CHECK_THROWS_AS(Sha256dJob(BlockHeader{}.bytes, {}, 0), std::invalid_argument);
}

TEST_CASE("the printed table sizes are the program's") {
    const Program fixed = make_search_program(1), rolled = make_search_program(2);
    CHECK(kFixedJobWords == fixed.stage(StageName::kJob).exports.size());
    CHECK(kFixedVersionWords == 0);
    CHECK(kFixedSharedWords == 0);
    CHECK(kRolledJobWords == rolled.stage(StageName::kJob).exports.size());
    CHECK(kRolledVersionWords == rolled.stage(StageName::kVersion).exports.size());
    CHECK(kRolledSharedWords == rolled.stage(StageName::kNonce).exports.size());
}

TEST_CASE("a digest passes when its number's top word is at most the target's") {
    CHECK(passes_top_word(0, 0));
    CHECK(passes_top_word(0xffffffff, 0xffffffff));
    CHECK_FALSE(passes_top_word(0xffffffff, 0xfffffffe));
    CHECK(passes_top_word(0x01000000, 1));  // H7's last byte is the number's lowest
    CHECK_FALSE(passes_top_word(1, 1));     // and its first byte the highest
    CHECK(passes_top_word(0x80, 0x80000000));
    CHECK_FALSE(passes_top_word(0x80, 0x7fffffff));
}

TEST_CASE("candidates are bounded and say when they overflow") {
    Candidates candidates;
    for (std::uint32_t i = 0; i < Candidates::kCapacity; ++i) candidates.push({0, i});
    CHECK_FALSE(candidates.overflow());
    CHECK(candidates.items().size() == Candidates::kCapacity);
    candidates.push({1, 1});
    CHECK(candidates.overflow());
    CHECK(candidates.items().size() == Candidates::kCapacity);
    CHECK(candidates.items().back() == Candidate{0, Candidates::kCapacity - 1});
    candidates.clear();
    CHECK_FALSE(candidates.overflow());
    CHECK(candidates.items().empty());
}
