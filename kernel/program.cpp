#include "kernel/program.hpp"

#include <stdexcept>

#include "kernel/sha256.hpp"
#include "kernel/specialise.hpp"

namespace gpuminer::kernel {

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
    std::array<std::uint32_t, 8> digest_nodes{};
    for (std::size_t i = 0; i < 8; ++i) digest_nodes[i] = digest[i].node();
    return specialise(graph, digest_nodes, digest2[7].node(), versions > 1);
}

std::map<Op, std::uint64_t> count_verbs(const Stage& stage) {
    std::map<Op, std::uint64_t> counts;
    for (const Instruction& instruction : stage.code) ++counts[instruction.op];
    return counts;
}

std::uint32_t interpret(const Program& program, const std::array<std::uint32_t, 8>& midstate,
                        const std::array<std::uint32_t, 3>& tail, std::uint32_t nonce_word) {
    std::map<Source, std::vector<std::uint32_t>> tables = {{Source::kMidstate, {midstate.begin(), midstate.end()}},
                                                           {Source::kTail, {tail.begin(), tail.end()}},
                                                           {Source::kNonce, {nonce_word}}};
    const auto read = [&](const Operand& operand) {
        return operand.source == Source::kConstant ? operand.index : tables.at(operand.source).at(operand.index);
    };
    const std::array export_to = {Source::kJob, Source::kVersion, Source::kShared, Source::kDigest, Source::kDigest};
    for (const StageName name : kStages) {
        const Stage& stage = program.stage(name);
        auto& values = tables[Source::kValue];
        values.clear();
        for (const Instruction& instruction : stage.code) {
            std::vector<std::uint32_t> operands;
            for (const Operand& operand : instruction.operands) operands.push_back(read(operand));
            values.push_back(evaluate(instruction.op, instruction.immediate, operands));
        }
        for (const Operand& exported : stage.exports)
            tables[export_to[static_cast<std::size_t>(name)]].push_back(read(exported));
    }
    return read(program.h7);
}

}  // namespace gpuminer::kernel
