#include "kernel/print.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gpuminer::kernel {
namespace {

const char* name_of(Op op) {
    switch (op) {
        case Op::kAdd: return "add";
        case Op::kRotr: return "rotr";
        case Op::kShr: return "shr";
        case Op::kXor3: return "xor3";
        case Op::kCh: return "ch";
        case Op::kMaj: return "maj";
        case Op::kAddRotr: return "add_rotr";
        case Op::kConstant:
        case Op::kMidstate:
        case Op::kTail:
        case Op::kNonce:
        case Op::kMessage:
        case Op::kState: break;
    }
    return "?";
}

const char* name_of(Source table) {
    switch (table) {
        case Source::kMidstate: return "midstate";
        case Source::kTail: return "tail";
        case Source::kMessage: return "message";
        case Source::kJob: return "job";
        case Source::kVersion: return "version";
        case Source::kShared: return "shared";
        case Source::kState: return "state";
        case Source::kDigest: return "digest";
        case Source::kHash: return "hash";
        case Source::kConstant:
        case Source::kNonce:
        case Source::kValue: break;
    }
    return "?";
}

std::string hex(std::uint32_t value) {
    std::ostringstream text;
    text << "0x" << std::hex << std::setw(8) << std::setfill('0') << value;
    return text.str();
}

// `open` and `close` surround a table index: "job(3)" or "job[3]".
std::string spell(const Operand& operand, char open, char close, const std::string& prefix = "x") {
    switch (operand.source) {
        case Source::kConstant: return hex(operand.index);
        case Source::kNonce: return "nonce";
        case Source::kValue: return prefix + std::to_string(operand.index);
        default: return name_of(operand.source) + (open + std::to_string(operand.index)) + close;
    }
}

// A batch exports its results.
bool has_h7(const Program& program) { return program.stage(StageName::kHash2).exports.empty(); }

bool has_bits(Op op) { return op == Op::kRotr || op == Op::kShr || op == Op::kAddRotr; }

// Of all nonces the same.
bool is_uniform(const Operand& operand) {
    return operand.source == Source::kConstant || operand.source == Source::kJob || operand.source == Source::kVersion;
}

std::uint64_t weigh(const Stage& stage, std::uint64_t (*weight)(Op)) {
    std::uint64_t total = 0;
    for (const auto& [op, count] : count_verbs(stage)) total += count * weight(op);
    return total;
}

std::uint64_t avx2_weight(Op op) {
    switch (op) {
        case Op::kRotr:
        case Op::kCh:
        case Op::kMaj: return 3;
        case Op::kXor3: return 2;
        default: return 1;
    }
}

std::uint64_t neon_weight(Op op) {
    switch (op) {
        case Op::kRotr:
        case Op::kMaj:
        case Op::kXor3: return 2;
        default: return 1;
    }
}

/// The verbs that only the text for GPUs has, one instruction after the other.
class GpuVerbs {
public:
    explicit GpuVerbs(const GpuText& text) : wide_percent_(text.wide_percent) {}

    /// What the verb's name ends with. A sum gets the word that is the same for every nonce first.
    const char* suffix(Instruction& instruction) {
        switch (instruction.op) {
            case Op::kRotr: return suffix_of_rotation();
            case Op::kAdd: return suffix_of_sum(instruction.operands);
            case Op::kMaj: return suffix_of_majority(instruction.operands);
            default: return "";
        }
    }

private:
    const char* suffix_of_rotation() {
        hundredths_ += wide_percent_;
        if (hundredths_ < 100) return "";
        hundredths_ -= 100;
        return "_wide";
    }

    static const char* suffix_of_sum(std::vector<Operand>& operands) {
        std::stable_partition(operands.begin(), operands.end(), is_uniform);
        return is_uniform(operands.front()) ? "_uniform" : "";
    }

    const char* suffix_of_majority(const std::vector<Operand>& operands) {
        const std::vector<Operand> wanted = std::exchange(newer_words_, {operands[0], operands[1]});
        if (wanted != std::vector<Operand>{operands[1], operands[2]}) return "";
        newer_words_.clear();
        return "_next";
    }

    unsigned wide_percent_;
    unsigned hundredths_ = 50;          // of a wide rotation that are due: the first comes in the middle of its stretch
    std::vector<Operand> newer_words_;  // x and y of the last maj, unless that was a maj_next
};

}  // namespace

const char* name_of(StageName stage) {
    constexpr std::array names = {"job", "version", "nonce", "hash1", "hash2", "block1"};
    return names[static_cast<std::size_t>(stage)];
}

std::string statement_operand(const Operand& operand, const std::string& prefix) {
    const std::string text = spell(operand, '(', ')', prefix);
    return operand.source == Source::kConstant ? "constant(" + text + "u)" : text;
}

std::string statement(const Instruction& instruction, std::size_t number, const std::string& prefix,
                      const char* suffix) {
    std::string text = "word " + prefix + std::to_string(number) + " = " + name_of(instruction.op) + suffix + "(";
    const char* separator = "";
    for (const Operand& operand : instruction.operands) {
        text += separator + statement_operand(operand, prefix);
        separator = ", ";
    }
    if (has_bits(instruction.op)) text += separator + std::to_string(instruction.immediate);
    return text + ");";
}

void print_neutral(std::ostream& out, const Program& program) {
    for (const StageName name : program.order) {
        const Stage& stage = program.stage(name);
        if (stage.code.empty() && stage.exports.empty()) continue;
        out << "stage " << name_of(name) << '\n';
        for (std::size_t i = 0; i < stage.code.size(); ++i) {
            const Instruction& instruction = stage.code[i];
            out << "  x" << i << " = " << name_of(instruction.op);
            for (const Operand& operand : instruction.operands) out << ' ' << spell(operand, '[', ']');
            if (has_bits(instruction.op)) out << ' ' << instruction.immediate;
            out << '\n';
        }
        for (std::size_t i = 0; i < stage.exports.size(); ++i) {
            out << "  " << name_of(table_of(name)) << '[' << i << "] = " << spell(stage.exports[i], '[', ']') << '\n';
        }
    }
    if (has_h7(program)) out << "  h7 = " << spell(program.h7, '[', ']') << '\n';
}

void print_statements(std::ostream& out, const Program& program, StageName name, const GpuText* gpu) {
    const Stage& stage = program.stage(name);
    GpuVerbs verbs(gpu != nullptr ? *gpu : GpuText{});
    for (std::size_t i = 0; i < stage.code.size(); ++i) {
        Instruction instruction = stage.code[i];
        const char* const suffix = gpu != nullptr ? verbs.suffix(instruction) : "";
        out << statement(instruction, i, "x", suffix) << '\n';
    }
    for (std::size_t i = 0; i < stage.exports.size(); ++i) {
        out << "export_" << name_of(table_of(name)) << '(' << i << ", " << statement_operand(stage.exports[i])
            << ");\n";
    }
    if (name == StageName::kHash2 && has_h7(program)) out << "word h7 = " << statement_operand(program.h7) << ";\n";
}

void print_table_sizes(std::ostream& out, const Program& program, const char* prefix) {
    constexpr std::array tables = {"Job", "Version", "Shared"};
    for (const StageName name : {StageName::kJob, StageName::kVersion, StageName::kNonce}) {
        out << "inline constexpr std::size_t k" << prefix << tables[static_cast<std::size_t>(name)]
            << "Words = " << program.stage(name).exports.size() << ";\n";
    }
}

void print_constants(std::ostream& out, std::span<const Program> programs) {
    std::set<std::uint32_t> values;
    const auto take = [&values](const Operand& operand) {
        if (operand.source == Source::kConstant) values.insert(operand.index);
    };
    for (const Program& program : programs) {
        for (const StageName name : {StageName::kNonce, StageName::kHash1, StageName::kHash2}) {
            for (const Instruction& instruction : program.stage(name).code)
                std::for_each(instruction.operands.begin(), instruction.operands.end(), take);
            std::for_each(program.stage(name).exports.begin(), program.stage(name).exports.end(), take);
        }
    }
    for (const std::uint32_t value : values) out << "CONSTANT(" << hex(value) << "u)\n";
}

std::uint64_t avx512_operations(const Stage& stage) {
    return weigh(stage, [](Op) -> std::uint64_t { return 1; });
}

std::uint64_t avx2_operations(const Stage& stage) { return weigh(stage, avx2_weight); }

std::uint64_t neon_operations(const Stage& stage) { return weigh(stage, neon_weight); }

void print_counts(std::ostream& out, const Program& program) {
    constexpr std::array verbs = {Op::kAdd, Op::kRotr, Op::kShr, Op::kXor3, Op::kCh, Op::kMaj};
    out << std::left << std::setw(9) << "stage" << std::right;
    for (const Op op : verbs) out << std::setw(7) << name_of(op);
    out << std::setw(9) << "avx512" << std::setw(9) << "avx2" << std::setw(9) << "exports" << '\n';
    for (const StageName name : program.order) {
        const Stage& stage = program.stage(name);
        auto counts = count_verbs(stage);
        out << std::left << std::setw(9) << name_of(name) << std::right;
        for (const Op op : verbs) out << std::setw(7) << counts[op];
        out << std::setw(9) << avx512_operations(stage) << std::setw(9) << avx2_operations(stage) << std::setw(9)
            << stage.exports.size() << '\n';
    }
}

}  // namespace gpuminer::kernel
