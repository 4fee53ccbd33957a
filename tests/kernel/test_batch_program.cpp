// Tests of the program for batches. It computes double SHA-256 of 64 bytes, and nothing is left that could be folded.
#include <set>
#include <span>
#include <tuple>

#include "host/block/checker.hpp"
#include "host/text/bytes.hpp"
#include "kernel/print.hpp"
#include "kernel/program.hpp"
#include "kernel/sha256.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::kernel;
using namespace gpuminer::test;

namespace {

using Message = std::array<std::uint8_t, 64>;

/// The hash's eight words as OpenSSL gives its bytes.
std::array<std::uint32_t, 8> expected(std::span<const std::uint8_t> message) {
    const Hash256 displayed = double_sha256(message);
    const std::vector<std::uint8_t> bytes(displayed.bytes.rbegin(), displayed.bytes.rend());
    std::array<std::uint32_t, 8> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_be32(bytes, 4 * i);
    return words;
}

std::array<std::uint32_t, 8> interpreted(const Program& program, const Message& message) {
    std::array<std::uint32_t, 16> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_be32(message, 4 * i);
    return interpret(program, words);
}

/// SHA-256 block by block through the compression's program (FIPS 180-4, 5.1.1 and 6.2.2).
std::array<std::uint32_t, 8> compressed(const Program& program, std::vector<std::uint8_t> bytes) {
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    bytes.push_back(0x80);
    while (bytes.size() % 64 != 56) bytes.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
    std::array<std::uint32_t, 8> state = sha256::kInitialState;
    for (std::size_t at = 0; at < bytes.size(); at += 64) {
        std::array<std::uint32_t, 16> words{};
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_be32(bytes, at + 4 * i);
        state = interpret(program, state, words);
    }
    return state;
}

std::uint64_t count(const Program& program, std::uint64_t (*operations)(const Stage&)) {
    std::uint64_t total = 0;
    for (const StageName name : program.order) total += operations(program.stage(name));
    return total;
}

/// Everything that somebody reads, in a stage.
std::set<Operand> operands_read(const Stage& stage) {
    std::set<Operand> read(stage.exports.begin(), stage.exports.end());
    for (const Instruction& instruction : stage.code)
        read.insert(instruction.operands.begin(), instruction.operands.end());
    return read;
}

// What a stage reads, besides constants and its own values.
const std::map<StageName, std::pair<Source, std::uint32_t>> kInputs = {{StageName::kBlock1, {Source::kMessage, 16}},
                                                                       {StageName::kHash1, {Source::kState, 8}},
                                                                       {StageName::kHash2, {Source::kDigest, 8}}};

}  // namespace

TEST_CASE("the interpreted batch program gives OpenSSL's hashes of random messages") {
    const Program program = make_batch_program();
    Random random(64);
    for (int i = 0; i < 200; ++i) {
        Message message{};
        for (auto& byte : message) byte = static_cast<std::uint8_t>(random() >> 24);
        REQUIRE(interpreted(program, message) == expected(message));
    }
}

TEST_CASE("the interpreted batch program is right where all words are zero, ones or single bits") {
    const Program program = make_batch_program();
    for (std::size_t bit = 0; bit <= 512; bit += 4) {  // 512: no bit at all
        Message message{};
        if (bit < 512) message[bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
        REQUIRE(interpreted(program, message) == expected(message));
        for (auto& byte : message) byte = static_cast<std::uint8_t>(~byte);
        REQUIRE(interpreted(program, message) == expected(message));
    }
}

TEST_CASE("the interpreted compression gives OpenSSL's hashes of messages of any length") {
    const Program program = make_compression_program();
    REQUIRE(program.order.size() == 1);
    Random random(65);
    for (const std::size_t size : {0, 1, 55, 56, 63, 64, 65, 119, 120, 200}) {
        std::vector<std::uint8_t> message(size), digest;
        for (auto& byte : message) byte = static_cast<std::uint8_t>(random() >> 24);
        for (const std::uint32_t word : compressed(program, message)) {
            for (int shift = 24; shift >= 0; shift -= 8) digest.push_back(static_cast<std::uint8_t>(word >> shift));
        }
        REQUIRE(compressed(program, digest) == expected(message));
    }
}

// Pinned so that no change goes unnoticed. A smaller number is welcome: put it here. A larger one is a regression.
TEST_CASE("operations per vector of inputs in a batch") {
    const Program program = make_batch_program();
    CHECK(avx512_operations(program.stage(StageName::kBlock1)) == 1606);
    CHECK(avx512_operations(program.stage(StageName::kHash1)) == 1032);
    CHECK(avx512_operations(program.stage(StageName::kHash2)) == 1539);
    CHECK(count(program, avx512_operations) == 4177);
    CHECK(count(program, avx2_operations) == 8507);
    // The padding's schedule is constant: of the second block nothing is left but its rounds and the last additions.
    auto verbs = count_verbs(program.stage(StageName::kHash1));
    CHECK(verbs[Op::kShr] == 0);
    CHECK(verbs[Op::kRotr] == 64 * 6);
    CHECK(verbs[Op::kAdd] == 64 * 6 + 8);
    // The compression of any block: 64 rounds, 48 words of schedule, the last additions. No constants but the rounds'.
    verbs = count_verbs(make_compression_program().stage(StageName::kBlock1));
    CHECK(verbs[Op::kRotr] == 64 * 6 + 48 * 4);
    CHECK(verbs[Op::kShr] == 48 * 2);
    CHECK(verbs[Op::kAdd] == 64 * 7 + 48 * 3 + 8);
}

TEST_CASE("a batch has three stages, each of which reads all of what the one before it exports and nothing else") {
    const Program program = make_batch_program();
    REQUIRE(std::vector<StageName>(program.order.begin(), program.order.end()) ==
            std::vector<StageName>{StageName::kBlock1, StageName::kHash1, StageName::kHash2});
    for (const StageName name : program.order) {
        const Stage& stage = program.stage(name);
        CHECK(stage.exports.size() == 8);
        const auto [source, words] = kInputs.at(name);
        std::set<std::uint32_t> slots;
        for (const Operand& operand : operands_read(stage)) {
            if (operand.source == Source::kConstant || operand.source == Source::kValue) continue;
            REQUIRE(operand.source == source);
            slots.insert(operand.index);
        }
        CHECK(slots.size() == words);
        CHECK(*slots.rbegin() == words - 1);
    }
    for (const StageName name : {StageName::kJob, StageName::kVersion, StageName::kNonce})
        CHECK(program.stage(name).code.empty());
}

TEST_CASE("in a batch no instruction is dead, computed twice, before its operands, or foldable") {
    const Program program = make_batch_program();
    for (const StageName name : program.order) {
        const Stage& stage = program.stage(name);
        const auto read = operands_read(stage);
        std::set<std::tuple<Op, std::uint32_t, std::vector<Operand>>> seen;
        for (std::uint32_t i = 0; i < stage.code.size(); ++i) {
            const auto& [op, immediate, operands] = stage.code[i];
            INFO(name_of(name) << ", x" << i);
            REQUIRE(read.count({Source::kValue, i}) == 1);
            REQUIRE(seen.emplace(op, immediate, operands).second);
            const bool shifts = op == Op::kRotr || op == Op::kShr;
            REQUIRE(operands.size() == (shifts ? 1u : op == Op::kAdd ? 2u : 3u));
            bool any_variable = false;
            for (const Operand& operand : operands) {
                any_variable |= operand.source != Source::kConstant;
                if (operand.source == Source::kValue) REQUIRE(operand.index < i);
                if (op == Op::kAdd) REQUIRE(operand != Operand{Source::kConstant, 0});
            }
            REQUIRE(any_variable);
        }
    }
}
