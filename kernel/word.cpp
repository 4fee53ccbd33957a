#include "kernel/word.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernel/sha256.hpp"

namespace gpuminer::kernel {

Word Graph::input(Op op, std::uint32_t index) {
    nodes_.push_back({op, index, {}});
    return {this, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

std::uint32_t Graph::node_of(Word word) {
    if (!word.is_number()) return word.node();
    nodes_.push_back({Op::kConstant, word.number(), {}});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

Word Graph::apply(Op op, std::uint32_t immediate, std::initializer_list<Word> operands) {
    std::vector<std::uint32_t> ids;
    for (const Word& operand : operands) ids.push_back(node_of(operand));
    nodes_.push_back({op, immediate, std::move(ids)});
    return {this, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

std::uint32_t evaluate(Op op, std::uint32_t immediate, const std::vector<std::uint32_t>& x) {
    switch (op) {
        case Op::kConstant: return immediate;
        case Op::kAdd: return std::accumulate(x.begin(), x.end(), 0u);
        case Op::kRotr: return sha256::rotr(x[0], static_cast<int>(immediate));
        case Op::kShr: return sha256::shr(x[0], static_cast<int>(immediate));
        case Op::kXor3: return sha256::xor3(x[0], x[1], x[2]);
        case Op::kCh: return sha256::ch(x[0], x[1], x[2]);
        case Op::kMaj: return sha256::maj(x[0], x[1], x[2]);
        case Op::kAddRotr: return x[0] + sha256::rotr(x[1], static_cast<int>(immediate));
        case Op::kMidstate:
        case Op::kTail:
        case Op::kNonce:
        case Op::kMessage:
        case Op::kState: break;
    }
    throw std::logic_error("an input has no value of its own");
}

Word record(Op op, std::uint32_t immediate, std::initializer_list<Word> operands) {
    const auto* const symbolic =
        std::find_if(operands.begin(), operands.end(), [](const Word& w) { return !w.is_number(); });
    if (symbolic != operands.end()) return symbolic->graph()->apply(op, immediate, operands);
    std::vector<std::uint32_t> numbers;
    for (const Word& operand : operands) numbers.push_back(operand.number());
    return Word{evaluate(op, immediate, numbers)};
}

}  // namespace gpuminer::kernel
