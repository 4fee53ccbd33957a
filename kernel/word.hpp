// The symbolic word: SHA-256 over it computes an expression in place of a number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace gpuminer::kernel {

enum class Op : std::uint8_t {
    kConstant,
    kMidstate,
    kTail,
    kNonce,
    kMessage,
    kState,
    kAdd,
    kRotr,
    kShr,
    kXor3,
    kCh,
    kMaj,
    kAddRotr
};

/// A node of the expression graph. Operands are nodes with smaller numbers.
struct Node {
    Op op;
    std::uint32_t immediate = 0;          ///< value of a constant, index of an input, bits of a rotation or shift
    std::vector<std::uint32_t> operands;  ///< any number for kAdd; fixed for the others
};

class Graph;

/// A number, or a node of a graph; a graph is joined as soon as one operand belongs to it.
class Word {
public:
    explicit constexpr Word(std::uint32_t value = 0) : id_or_value_(value) {}

    [[nodiscard]] bool is_number() const { return graph_ == nullptr; }
    [[nodiscard]] std::uint32_t number() const { return id_or_value_; }
    [[nodiscard]] std::uint32_t node() const { return id_or_value_; }
    [[nodiscard]] Graph* graph() const { return graph_; }

private:
    friend class Graph;
    Word(Graph* graph, std::uint32_t id) : graph_(graph), id_or_value_(id) {}
    Graph* graph_ = nullptr;
    std::uint32_t id_or_value_;
};

/// Owns the nodes, in the order in which the textbook made them.
class Graph {
public:
    /// An input: kMidstate (index 0…7), kTail (0…2), kNonce, kMessage (0…15) or kState (0…7).
    Word input(Op op, std::uint32_t index = 0);
    /// The node of a word; a number becomes a constant node.
    std::uint32_t node_of(Word word);
    Word apply(Op op, std::uint32_t immediate, std::initializer_list<Word> operands);
    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

private:
    std::vector<Node> nodes_;
};

/// What the verb computes on numbers.
std::uint32_t evaluate(Op op, std::uint32_t immediate, const std::vector<std::uint32_t>& operands);

/// Records a verb, or computes it at once when all operands are numbers.
Word record(Op op, std::uint32_t immediate, std::initializer_list<Word> operands);

template <class... Words>
Word add(Word first, Words... rest) {
    return record(Op::kAdd, 0, {first, rest...});
}
inline Word rotr(Word x, int n) { return record(Op::kRotr, static_cast<std::uint32_t>(n), {x}); }
inline Word shr(Word x, int n) { return record(Op::kShr, static_cast<std::uint32_t>(n), {x}); }
inline Word xor3(Word x, Word y, Word z) { return record(Op::kXor3, 0, {x, y, z}); }
inline Word ch(Word x, Word y, Word z) { return record(Op::kCh, 0, {x, y, z}); }
inline Word maj(Word x, Word y, Word z) { return record(Op::kMaj, 0, {x, y, z}); }

}  // namespace gpuminer::kernel
