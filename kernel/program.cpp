#include "kernel/program.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernel/sha256.hpp"
#include "kernel/specialise.hpp"

namespace gpuminer::kernel {
namespace {

std::array<std::uint32_t, 8> nodes_of(const sha256::State<Word>& state) {
    std::array<std::uint32_t, 8> nodes{};
    std::transform(state.begin(), state.end(), nodes.begin(), [](const Word& word) { return word.node(); });
    return nodes;
}

using Tables = std::map<Source, std::vector<std::uint32_t>>;

std::uint32_t read(const Tables& tables, const Operand& operand) {
    return operand.source == Source::kConstant ? operand.index : tables.at(operand.source).at(operand.index);
}

// Runs all stages; every table is there afterwards, and the last stage's values.
void run(const Program& program, Tables& tables) {
    for (const StageName name : program.order) {
        const Stage& stage = program.stage(name);
        tables[Source::kValue].clear();
        for (const Instruction& instruction : stage.code) {
            std::vector<std::uint32_t> operands;
            for (const Operand& operand : instruction.operands) operands.push_back(read(tables, operand));
            tables[Source::kValue].push_back(evaluate(instruction.op, instruction.immediate, operands));
        }
        for (const Operand& exported : stage.exports) tables[table_of(name)].push_back(read(tables, exported));
    }
}

}  // namespace

Source table_of(StageName stage) {
    switch (stage) {
        case StageName::kJob: return Source::kJob;
        case StageName::kVersion: return Source::kVersion;
        case StageName::kNonce: return Source::kShared;
        case StageName::kBlock1: return Source::kState;
        case StageName::kHash1: return Source::kDigest;
        case StageName::kHash2: return Source::kHash;
    }
    throw std::logic_error("no such stage");
}

Program make_search_program(unsigned versions) {
    if (versions == 0) throw std::invalid_argument("a search program needs at least one version");
    Graph graph;
    sha256::State<Word> midstate;
    for (std::uint32_t i = 0; i < 8; ++i) midstate[i] = graph.input(Op::kMidstate, i);
    std::array<Word, 3> tail;
    for (std::uint32_t i = 0; i < 3; ++i) tail[i] = graph.input(Op::kTail, i);
    const Word nonce = graph.input(Op::kNonce);
    const auto digest = sha256::compress(midstate, sha256::header_block2(tail, nonce));
    const auto digest2 = sha256::compress(sha256::initial_state<Word>(), sha256::digest_block(digest));
    const std::vector<Cut> cuts = {{StageName::kHash1, nodes_of(digest), StageName::kHash2}};
    Program program = specialise(graph, cuts, {digest2[7].node()}, StageName::kHash2, versions > 1);
    program.order = kStages;
    // The one result is not stored: most nonces are done with as soon as it is compared.
    auto& results = program.stage(StageName::kHash2).exports;
    program.h7 = results.front();
    results.clear();
    return program;
}

Program make_batch_program() {
    Graph graph;
    sha256::Block<Word> message;
    for (std::uint32_t i = 0; i < 16; ++i) message[i] = graph.input(Op::kMessage, i);
    const auto state = sha256::compress(sha256::initial_state<Word>(), message);
    const auto digest = sha256::compress(state, sha256::padding_block<Word>());
    const auto hash = sha256::compress(sha256::initial_state<Word>(), sha256::digest_block(digest));
    const std::vector<Cut> cuts = {{StageName::kBlock1, nodes_of(state), StageName::kHash1},
                                   {StageName::kHash1, nodes_of(digest), StageName::kHash2}};
    const auto results = nodes_of(hash);
    Program program = specialise(graph, cuts, {results.begin(), results.end()}, StageName::kHash2, false);
    program.order = kBatchStages;
    return program;
}

Program make_compression_program() {
    Graph graph;
    sha256::State<Word> before;
    for (std::uint32_t i = 0; i < 8; ++i) before[i] = graph.input(Op::kState, i);
    sha256::Block<Word> message;
    for (std::uint32_t i = 0; i < 16; ++i) message[i] = graph.input(Op::kMessage, i);
    const auto after = nodes_of(sha256::compress(before, message));
    Program program = specialise(graph, {}, {after.begin(), after.end()}, StageName::kBlock1, false);
    program.order = kCompressionStages;
    return program;
}

namespace {

/// The words of `block`'s schedule, each with its round's constant added, as nodes.
std::vector<std::uint32_t> k_plus_w(Graph& graph, const sha256::Block<Word>& block, std::size_t rounds) {
    sha256::Schedule<Word> schedule(block);
    std::vector<std::uint32_t> nodes;
    for (std::size_t t = 0; t < rounds; ++t)
        nodes.push_back(graph.node_of(add(schedule.next(t), Word{sha256::kRoundConstants[t]})));
    return nodes;
}

}  // namespace

Program make_header_schedule() {
    Graph graph;
    std::array<Word, 3> tail;
    for (std::uint32_t i = 0; i < 3; ++i) tail[i] = graph.input(Op::kTail, i);
    const auto words = k_plus_w(graph, sha256::header_block2(tail, graph.input(Op::kNonce)), 64);
    Program program = specialise(graph, {}, words, StageName::kNonce, true);
    program.order = kHeaderScheduleStages;
    return program;
}

Program make_digest_schedule() {
    Graph graph;
    sha256::State<Word> digest;
    for (std::uint32_t i = 0; i < 8; ++i) digest[i] = graph.input(Op::kMessage, i);
    const auto words = k_plus_w(graph, sha256::digest_block(digest), kRoundsForH7);
    Program program = specialise(graph, {}, words, StageName::kBlock1, false);
    program.order = kDigestScheduleStages;
    return program;
}

std::map<Op, std::uint64_t> count_verbs(const Stage& stage) {
    std::map<Op, std::uint64_t> counts;
    for (const Instruction& instruction : stage.code) ++counts[instruction.op];
    return counts;
}

std::uint32_t interpret(const Program& program, const std::array<std::uint32_t, 8>& midstate,
                        const std::array<std::uint32_t, 3>& tail, std::uint32_t nonce_word) {
    Tables tables = {{Source::kMidstate, {midstate.begin(), midstate.end()}},
                     {Source::kTail, {tail.begin(), tail.end()}},
                     {Source::kNonce, {nonce_word}}};
    run(program, tables);
    return read(tables, program.h7);
}

std::array<std::uint32_t, 8> interpret(const Program& program, const std::array<std::uint32_t, 16>& message) {
    Tables tables = {{Source::kMessage, {message.begin(), message.end()}}};
    run(program, tables);
    std::array<std::uint32_t, 8> hash{};
    for (std::uint32_t i = 0; i < 8; ++i) hash[i] = read(tables, {Source::kHash, i});
    return hash;
}

std::array<std::uint32_t, 8> interpret(const Program& program, const std::array<std::uint32_t, 8>& state,
                                       const std::array<std::uint32_t, 16>& message) {
    Tables tables = {{Source::kMessage, {message.begin(), message.end()}},
                     {Source::kState, {state.begin(), state.end()}}};
    run(program, tables);  // appends the state after the block
    std::array<std::uint32_t, 8> after{};
    for (std::uint32_t i = 0; i < 8; ++i) after[i] = read(tables, {Source::kState, 8 + i});
    return after;
}

std::vector<std::uint32_t> interpret_header_schedule(const Program& program, const std::array<std::uint32_t, 3>& tail,
                                                     std::uint32_t nonce_word) {
    Tables tables = {{Source::kTail, {tail.begin(), tail.end()}}, {Source::kNonce, {nonce_word}}};
    run(program, tables);
    return tables.at(Source::kShared);
}

std::vector<std::uint32_t> interpret_digest_schedule(const Program& program,
                                                     const std::array<std::uint32_t, 8>& digest) {
    Tables tables = {{Source::kMessage, {digest.begin(), digest.end()}}};
    run(program, tables);
    return tables.at(Source::kState);
}

}  // namespace gpuminer::kernel
