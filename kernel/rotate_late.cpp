#include "kernel/rotate_late.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpuminer::kernel {
namespace {

class Rewriter {
public:
    Rewriter(Stage& stage, Operand& h7) : stage_(stage), h7_(h7), uses_(stage.code.size()), dropped_(uses_.size()) {
        each_operand([this](const Operand& operand) {
            if (operand.source == Source::kValue) ++uses_[operand.index];
        });
    }

    void run() {
        for (std::uint32_t i = 0; i < stage_.code.size(); ++i) {
            if (Instruction* const addition = addition_of(i)) rewrite(i, *addition);
        }
        renumber();
    }

private:
    template <class Visit>
    void each_operand(Visit visit) {
        for (Instruction& instruction : stage_.code) std::ranges::for_each(instruction.operands, visit);
        std::ranges::for_each(stage_.exports, visit);
        visit(h7_);
    }

    [[nodiscard]] Instruction& made_by(const Operand& operand) { return stage_.code[operand.index]; }

    /// The only one that takes value `i`, if that is a Σ and it an addition.
    [[nodiscard]] Instruction* addition_of(std::uint32_t i) {
        const Instruction& sigma = stage_.code[i];
        if (sigma.op != Op::kXor3 || uses_[i] != 1) return nullptr;
        const auto rotates = [&](const Operand& operand) {
            return operand.source == Source::kValue && uses_[operand.index] == 1 && made_by(operand).op == Op::kRotr &&
                   made_by(operand).operands == made_by(sigma.operands.front()).operands;
        };
        if (!std::ranges::all_of(sigma.operands, rotates)) return nullptr;
        const Operand value{Source::kValue, i};
        const auto user = std::ranges::find_if(stage_.code, [&](const Instruction& each) {
            return each.op == Op::kAdd && std::ranges::count(each.operands, value) != 0;
        });
        return user == stage_.code.end() ? nullptr : &*user;
    }

    void rewrite(std::uint32_t i, Instruction& addition) {
        std::vector<Operand>& rotations = stage_.code[i].operands;
        const auto bits = [this](const Operand& operand) { return made_by(operand).immediate; };
        Operand& least = *std::ranges::min_element(rotations, {}, bits);
        const std::uint32_t last = bits(least);
        dropped_[least.index] = true;
        least = made_by(least).operands.front();
        for (const Operand& operand : rotations) {
            if (&operand != &least) made_by(operand).immediate -= last;
        }
        const Operand value{Source::kValue, i};
        if (addition.operands.front() == value) std::swap(addition.operands.front(), addition.operands.back());
        addition.op = Op::kAddRotr;
        addition.immediate = last;
    }

    void renumber() {
        std::vector<std::uint32_t> numbers;
        std::vector<Instruction> kept;
        for (std::size_t i = 0; i < stage_.code.size(); ++i) {
            numbers.push_back(static_cast<std::uint32_t>(kept.size()));
            if (!dropped_[i]) kept.push_back(stage_.code[i]);
        }
        stage_.code = std::move(kept);
        each_operand([&](Operand& operand) {
            if (operand.source == Source::kValue) operand.index = numbers[operand.index];
        });
    }

    Stage& stage_;
    Operand& h7_;
    std::vector<unsigned> uses_;  ///< of each value
    std::vector<bool> dropped_;
};

}  // namespace

Program rotate_late(Program program) {
    for (const StageName name : program.order) {
        Operand none;
        Rewriter(program.stage(name), name == StageName::kHash2 ? program.h7 : none).run();
    }
    return program;
}

}  // namespace gpuminer::kernel
