// Tests of the specialised program. It computes SHA-256d, and does nothing per nonce that can be done before.
#include "kernel/program.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "header_words.hpp"
#include "host/block/checker.hpp"
#include "kernel/rotate_late.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::kernel;
using namespace gpuminer::test;

namespace {

constexpr std::array kVersionCounts = {1u, 8u};  // the fixed program and the rolled one

std::uint32_t interpreted_h7(const Program& program, const BlockHeader& header) {
    const HeaderWords words = words_of(header);
    return interpret(program, words.midstate, words.tail, words.nonce);
}

struct Dependence {
    bool on_nonce = false, on_version = false, on_digest = false;
};

// Which of its inputs each instruction of a stage depends on, directly or through earlier instructions.
std::vector<Dependence> dependences(const Stage& stage) {
    std::vector<Dependence> result;
    for (const Instruction& instruction : stage.code) {
        Dependence own;
        for (const Operand& operand : instruction.operands) {
            const bool is_value = operand.source == Source::kValue;
            const Dependence inherited = is_value ? result.at(operand.index) : Dependence{};
            own.on_nonce |= inherited.on_nonce || operand.source == Source::kNonce || operand.source == Source::kShared;
            own.on_version |=
                inherited.on_version || operand.source == Source::kVersion || operand.source == Source::kMidstate;
            own.on_digest |= inherited.on_digest || operand.source == Source::kDigest;
        }
        result.push_back(own);
    }
    return result;
}

// Everything that somebody reads, in a stage.
std::set<Operand> operands_read(const Program& program, StageName name) {
    const Stage& stage = program.stage(name);
    std::set<Operand> read(stage.exports.begin(), stage.exports.end());
    for (const Instruction& instruction : stage.code)
        read.insert(instruction.operands.begin(), instruction.operands.end());
    if (name == StageName::kHash2) read.insert(program.h7);
    return read;
}

// What a stage may read, besides constants and its own values.
std::set<Source> inputs_of(StageName name, bool rolled) {
    switch (name) {
        case StageName::kJob: return rolled ? std::set{Source::kTail} : std::set{Source::kTail, Source::kMidstate};
        case StageName::kVersion: return {Source::kMidstate, Source::kJob};
        case StageName::kNonce: return {Source::kNonce, Source::kJob};
        case StageName::kHash1:
            return rolled ? std::set{Source::kNonce, Source::kShared, Source::kVersion, Source::kJob}
                          : std::set{Source::kNonce, Source::kJob};
        case StageName::kHash2: return {Source::kDigest};
        case StageName::kBlock1: break;  // of batches
    }
    return {};
}

}  // namespace

TEST_CASE("the interpreted programs give OpenSSL's hash of real headers") {
    const auto headers = load_real_headers();
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        // The interpreter is slow; the lanes, made from the same program, are tested with all headers.
        for (std::size_t i = 0; i < headers.size(); i += 24) {
            INFO(headers[i].network << " " << headers[i].height << ", program for " << versions << " versions");
            REQUIRE(interpreted_h7(program, headers[i].header) == h7_of(headers[i].hash));
        }
    }
}

TEST_CASE("the interpreted programs give OpenSSL's hash of random headers") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        for (const BlockHeader& header : random_headers(200, 4)) {
            REQUIRE(interpreted_h7(program, header) == h7_of(double_sha256(header.bytes)));
        }
    }
}

TEST_CASE("the interpreted programs are right where all words are zero, ones or single bits") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        for (std::size_t bit = 0; bit <= 640; bit += 5) {  // 640: no bit at all
            BlockHeader header;
            if (bit < 640) header.bytes[bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
            REQUIRE(interpreted_h7(program, header) == h7_of(double_sha256(header.bytes)));
            for (auto& byte : header.bytes) byte = static_cast<std::uint8_t>(~byte);
            REQUIRE(interpreted_h7(program, header) == h7_of(double_sha256(header.bytes)));
        }
    }
}

TEST_CASE("no stage after the host's computes anything that does not depend on the nonce") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        for (const Dependence& on : dependences(program.stage(StageName::kNonce))) REQUIRE(on.on_nonce);
        for (const Dependence& on : dependences(program.stage(StageName::kHash1))) REQUIRE(on.on_nonce);
        // The first digest depends on the nonce.
        for (const Dependence& on : dependences(program.stage(StageName::kHash2))) REQUIRE(on.on_digest);
    }
}

TEST_CASE("what versions share is computed once for all of them") {
    const Program program = make_search_program(8);
    for (const Dependence& on : dependences(program.stage(StageName::kHash1))) REQUIRE(on.on_version);
    for (const Dependence& on : dependences(program.stage(StageName::kVersion))) REQUIRE(on.on_version);
    CHECK(make_search_program(1).stage(StageName::kVersion).code.empty());
    CHECK(make_search_program(1).stage(StageName::kNonce).code.empty());
}

TEST_CASE("a stage reads its own inputs only, and values that are computed already") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        for (const StageName name : kStages) {
            const auto inputs = inputs_of(name, versions > 1);
            const Stage& stage = program.stage(name);
            for (const Operand& operand : operands_read(program, name)) {
                const bool own = operand.source == Source::kConstant || operand.source == Source::kValue;
                REQUIRE((own || inputs.count(operand.source) == 1));
            }
            for (std::size_t i = 0; i < stage.code.size(); ++i) {
                for (const Operand& operand : stage.code[i].operands) {
                    if (operand.source == Source::kValue) REQUIRE(operand.index < i);
                }
            }
        }
    }
}

TEST_CASE("no instruction is dead and no exported slot unused") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        std::set<Operand> read_anywhere;
        for (const StageName name : kStages) {
            const auto read = operands_read(program, name);
            for (std::uint32_t i = 0; i < program.stage(name).code.size(); ++i) {
                INFO("stage " << static_cast<int>(name) << ", x" << i);
                REQUIRE(read.count({Source::kValue, i}) == 1);
            }
            read_anywhere.insert(read.begin(), read.end());
        }
        const std::array<std::pair<StageName, Source>, 4> tables = {{{StageName::kJob, Source::kJob},
                                                                     {StageName::kVersion, Source::kVersion},
                                                                     {StageName::kNonce, Source::kShared},
                                                                     {StageName::kHash1, Source::kDigest}}};
        for (const auto& [name, source] : tables) {
            const auto& exports = program.stage(name).exports;
            for (std::uint32_t slot = 0; slot < exports.size(); ++slot)
                REQUIRE(read_anywhere.count({source, slot}) == 1);
            CHECK(std::set<Operand>(exports.begin(), exports.end()).size() == exports.size());  // nothing twice
        }
    }
}

TEST_CASE("instructions are well formed, none is computed twice, and none could have been folded") {
    for (const unsigned versions : kVersionCounts) {
        const Program program = make_search_program(versions);
        for (const StageName name : {StageName::kNonce, StageName::kHash1, StageName::kHash2}) {
            std::set<std::tuple<Op, std::uint32_t, std::vector<Operand>>> seen;
            for (const auto& [op, immediate, operands] : program.stage(name).code) {
                const bool shifts = op == Op::kRotr || op == Op::kShr;
                REQUIRE(operands.size() == (shifts ? 1u : op == Op::kAdd ? 2u : 3u));
                if (shifts) REQUIRE((immediate >= 1 && immediate <= 31));
                if (op == Op::kAdd)
                    REQUIRE(std::count(operands.begin(), operands.end(), Operand{Source::kConstant, 0}) == 0);
                REQUIRE(seen.emplace(op, immediate, operands).second);
            }
        }
    }
}

TEST_CASE("the program that rotates late computes the same hash in as many operations") {
    for (const unsigned versions : kVersionCounts) {
        INFO(versions << " versions");
        const Program program = make_search_program(versions), late = rotate_late(program);
        for (const BlockHeader& header : random_headers(20, 60))
            REQUIRE(interpreted_h7(late, header) == h7_of(double_sha256(header.bytes)));
        for (const StageName name : {StageName::kHash1, StageName::kHash2}) {
            auto before = count_verbs(program.stage(name)), after = count_verbs(late.stage(name));
            // Every sum of a Σ has become one: two a round, less those whose Σ depends on nothing of the nonce's.
            const std::uint64_t sums = after[Op::kAddRotr];
            CHECK(sums > 2 * 45);
            CHECK(before[Op::kRotr] - after[Op::kRotr] == sums);
            CHECK(before[Op::kAdd] - after[Op::kAdd] == sums);
            CHECK(before[Op::kXor3] == after[Op::kXor3]);
            for (const Instruction& instruction : late.stage(name).code) {
                if (instruction.op != Op::kXor3) continue;
                const auto is_rotation = [&](const Operand& operand) {
                    return operand.source == Source::kValue && late.stage(name).code.at(operand.index).op == Op::kRotr;
                };
                CHECK(std::ranges::count_if(instruction.operands, is_rotation) == 2);
            }
        }
    }
}
