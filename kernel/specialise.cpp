#include "kernel/specialise.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gpuminer::kernel {
namespace {

// What a value depends on, as a set of bits; its stage follows from the set.
constexpr unsigned kOnJob = 1, kOnVersion = 2, kOnNonce = 4, kOnMessage = 8, kOnFirstCut = 16;

// A value, the stage that computes it, and how many verbs of that stage come before it at least: sums add
// first what is ready first.
struct Value {
    StageName stage = StageName::kJob;
    Operand operand;
    unsigned depth = 0;
};

class Specialiser {
public:
    Specialiser(const Graph& graph, const std::vector<Cut>& cuts, const std::vector<std::uint32_t>& results,
                StageName last, bool share)
        : nodes_(graph.nodes()), cuts_(cuts), results_(results), last_(last) {
        find_dependencies(share);
        find_uses();
    }

    Program run() {
        std::uint32_t begin = 0;
        for (const Cut& cut : cuts_) begin = emit_and_export(begin, cut.before, cut.nodes);
        emit_and_export(begin, last_, results_);
        return std::move(program_);
    }

private:
    // Terms of a sum after opening the sums within it.
    struct Terms {
        std::uint32_t constant = 0;
        std::vector<std::uint32_t> nodes;
    };

    [[nodiscard]] bool is_sum(std::uint32_t id) const { return nodes_[id].op == Op::kAdd; }
    // What is computed for each nonce or message, not on the host.
    [[nodiscard]] bool is_per_item(std::uint32_t id) const {
        return (dependencies_[id] & (kOnNonce | kOnMessage)) != 0;
    }

    // The bit of the cut that a node belongs to; 0 if to none.
    [[nodiscard]] unsigned cut_bit(std::uint32_t id) const {
        for (std::size_t i = 0; i < cuts_.size(); ++i) {
            const auto& nodes = cuts_[i].nodes;
            if (std::find(nodes.begin(), nodes.end(), id) != nodes.end()) return kOnFirstCut << i;
        }
        return 0;
    }

    [[nodiscard]] StageName stage_of(unsigned dependencies) const {
        for (std::size_t i = cuts_.size(); i-- > 0;) {
            if ((dependencies & kOnFirstCut << i) != 0) return cuts_[i].after;
        }
        if ((dependencies & kOnMessage) != 0) return StageName::kBlock1;
        const bool on_version = (dependencies & kOnVersion) != 0;
        if ((dependencies & kOnNonce) != 0) return on_version ? StageName::kHash1 : StageName::kNonce;
        return on_version ? StageName::kVersion : StageName::kJob;
    }

    // Emits the nodes from `begin` up to the last of those that the stage exports; returns the node after it.
    template <class Nodes>
    std::uint32_t emit_and_export(std::uint32_t begin, StageName stage, const Nodes& exported) {
        const std::uint32_t end = *std::max_element(exported.begin(), exported.end()) + 1;
        emit_nodes(begin, end);
        for (const std::uint32_t id : exported) {
            const Operand operand = in_stage(stage, value_of(id));
            program_.stage(stage).exports.push_back(operand);
        }
        return end;
    }

    // In the textbook's order, which makes a schedule word just before the round that needs it: that keeps few
    // values alive. Values of the host's stages are emitted when a device's value first asks for them.
    void emit_nodes(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t id = begin; id < end; ++id) {
            if (live_[id] && is_per_item(id) && !is_opened(id)) (void)value_of(id);
        }
    }

    void find_dependencies(bool share) {
        for (const Node& node : nodes_) {
            unsigned set = 0;
            if (node.op == Op::kTail) set = kOnJob;
            if (node.op == Op::kMidstate) set = share ? kOnVersion : kOnJob;
            if (node.op == Op::kNonce) set = share ? kOnNonce : kOnNonce | kOnVersion;
            if (node.op == Op::kMessage || node.op == Op::kState) set = kOnMessage;
            for (const std::uint32_t operand : node.operands) set |= dependencies_[operand] | cut_bit(operand);
            dependencies_.push_back(set);
        }
    }

    // Walks from the results down: what is reached is live, everything else is dead code.
    void find_uses() {
        live_.assign(nodes_.size(), false);
        used_as_word_.assign(nodes_.size(), false);
        sum_uses_.assign(nodes_.size(), 0);
        for (const std::uint32_t id : results_) live_[id] = used_as_word_[id] = true;
        for (std::uint32_t id = *std::max_element(results_.begin(), results_.end()) + 1; id-- > 0;) {
            if (!live_[id]) continue;
            for (const std::uint32_t operand : nodes_[id].operands) {
                live_[operand] = true;
                if (is_sum(id))
                    ++sum_uses_[operand];
                else
                    used_as_word_[operand] = true;
            }
        }
    }

    // A sum that only feeds other sums is opened: its constant and per-job terms join theirs, and never cost
    // a device an addition of their own. One with two or more per-item terms (T1 of a round) is worth
    // keeping when several sums share it.
    [[nodiscard]] bool is_opened(std::uint32_t id) const {
        if (!is_sum(id) || used_as_word_[id] || cut_bit(id) != 0) return false;
        return sum_uses_[id] < 2 || per_item_terms(id) < 2;
    }

    [[nodiscard]] std::size_t per_item_terms(std::uint32_t id) const {
        const std::vector<std::uint32_t> terms = terms_of(id).nodes;
        return static_cast<std::size_t>(
            std::count_if(terms.begin(), terms.end(), [&](std::uint32_t t) { return is_per_item(t); }));
    }

    [[nodiscard]] Terms terms_of(std::uint32_t id) const {
        Terms terms;
        for (const std::uint32_t operand : nodes_[id].operands) {
            if (nodes_[operand].op == Op::kConstant) {
                terms.constant += nodes_[operand].immediate;
            } else if (is_opened(operand)) {
                const Terms inner = terms_of(operand);
                terms.constant += inner.constant;
                terms.nodes.insert(terms.nodes.end(), inner.nodes.begin(), inner.nodes.end());
            } else {
                terms.nodes.push_back(operand);
            }
        }
        return terms;
    }

    // The value of a node, computed (once) in the node's own stage.
    Value value_of(std::uint32_t id) {
        const auto known = values_.find(id);
        if (known != values_.end()) return known->second;
        const Value value = compute(id);
        values_.emplace(id, value);
        return value;
    }

    Value compute(std::uint32_t id) {
        const Node& node = nodes_[id];
        const StageName stage = stage_of(dependencies_[id]);
        switch (node.op) {
            case Op::kConstant: return {stage, {Source::kConstant, node.immediate}, 0};
            case Op::kMidstate: return {stage, {Source::kMidstate, node.immediate}, 0};
            case Op::kTail: return {stage, {Source::kTail, node.immediate}, 0};
            case Op::kNonce: return {stage, {Source::kNonce, 0}, 0};
            case Op::kMessage: return {stage, {Source::kMessage, node.immediate}, 0};
            case Op::kState: return {stage, {Source::kState, node.immediate}, 0};
            case Op::kAdd: return compute_sum(stage, terms_of(id));
            default: break;
        }
        std::vector<Value> operands;
        for (const std::uint32_t operand : node.operands) operands.push_back(value_of(operand));
        return emit(stage, node.op, node.immediate, operands);
    }

    // Adds what binds early in an early stage, and hands the partial sum on: constants, then per-job terms,
    // then per-version or per-nonce ones, then the rest.
    Value compute_sum(StageName stage, const Terms& terms) {
        std::vector<Value> job, version, nonce, rest;
        for (const std::uint32_t term : terms.nodes) {
            const Value value = value_of(term);
            (value.stage == StageName::kJob       ? job
             : value.stage == StageName::kVersion ? version
             : value.stage == StageName::kNonce   ? nonce
                                                  : rest)
                .push_back(value);
        }
        const Value constant{StageName::kJob, {Source::kConstant, terms.constant}, 0};
        if (!job.empty() && terms.constant != 0) job.push_back(constant);
        if (stage == StageName::kJob) return add_up(stage, job);

        // What is fixed joins the cheapest group that has to be added anyway.
        std::vector<Value>& company = !version.empty() ? version : !nonce.empty() ? nonce : rest;
        if (!job.empty())
            company.push_back(add_up(StageName::kJob, job));
        else if (terms.constant != 0)
            company.push_back(constant);
        if (stage == StageName::kVersion || stage == StageName::kNonce) return add_up(stage, company);
        if (!version.empty()) rest.push_back(add_up(StageName::kVersion, version));
        if (!nonce.empty()) rest.push_back(add_up(StageName::kNonce, nonce));
        return add_up(stage, rest);
    }

    // A chain of two-operand additions, always of the two values that are ready first.
    Value add_up(StageName stage, std::vector<Value> values) {
        const auto later = [&](const Value& x, const Value& y) { return ready(stage, x) > ready(stage, y); };
        while (values.size() > 1) {
            std::stable_sort(values.begin(), values.end(), later);
            const Value first = values.back();
            values.pop_back();
            const Value second = values.back();
            values.pop_back();
            values.push_back(emit(stage, Op::kAdd, 0, {first, second}));
        }
        return values.front();
    }

    // Values of earlier stages are there from the start.
    static unsigned ready(StageName stage, const Value& value) { return value.stage == stage ? value.depth : 0; }

    Value emit(StageName stage, Op op, std::uint32_t immediate, const std::vector<Value>& values) {
        Instruction instruction{op, immediate, {}};
        unsigned depth = 0;
        for (const Value& value : values) {
            depth = std::max(depth, ready(stage, value));
            instruction.operands.push_back(in_stage(stage, value));
        }
        auto& code = program_.stage(stage).code;
        code.push_back(std::move(instruction));
        return {stage, {Source::kValue, static_cast<std::uint32_t>(code.size() - 1)}, depth + 1};
    }

    // How `stage` names a value: its own ones directly, earlier stages' through their table of exports.
    Operand in_stage(StageName stage, const Value& value) {
        const Operand& operand = value.operand;
        if (operand.source == Source::kConstant || operand.source == Source::kNonce || value.stage == stage)
            return operand;
        auto& exports = program_.stage(value.stage).exports;
        if (std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) { return cut.before == value.stage; })) {
            const auto slot = std::find(exports.begin(), exports.end(), operand);
            if (slot == exports.end()) throw std::logic_error("a stage reads more than the one before it exports");
            return {table_of(value.stage), static_cast<std::uint32_t>(slot - exports.begin())};
        }
        const auto [slot, is_new] = slots_.try_emplace({value.stage, operand}, 0);
        if (is_new) {
            slot->second = static_cast<std::uint32_t>(exports.size());
            exports.push_back(operand);
        }
        return {table_of(value.stage), slot->second};
    }

    const std::vector<Node>& nodes_;
    const std::vector<Cut>& cuts_;
    const std::vector<std::uint32_t>& results_;
    StageName last_;
    std::vector<unsigned> dependencies_;
    std::vector<bool> live_, used_as_word_;
    std::vector<unsigned> sum_uses_;
    std::map<std::uint32_t, Value> values_;
    std::map<std::pair<StageName, Operand>, std::uint32_t> slots_;
    Program program_;
};

}  // namespace

Program specialise(const Graph& graph, const std::vector<Cut>& cuts, const std::vector<std::uint32_t>& results,
                   StageName last, bool share_nonce_stage) {
    return Specialiser(graph, cuts, results, last, share_nonce_stage).run();
}

}  // namespace gpuminer::kernel
