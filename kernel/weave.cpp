#include "kernel/weave.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "kernel/print.hpp"
#include "kernel/program.hpp"

namespace gpuminer::kernel {
namespace {

using Text = std::vector<std::string>;

/// One of the two hashes: its schedule, and the pairs of rounds that are run for each nonce.
struct Hash {
    const char* name;
    const char* prefix;  ///< of the names of its schedule's values
    Program program;
    StageName stage;  ///< of the program, that exports K+W
    std::size_t first_pair;

    [[nodiscard]] const std::vector<Operand>& k_plus_w() const { return program.stage(stage).exports; }
    [[nodiscard]] std::size_t pairs() const { return k_plus_w().size() / 2; }
    /// Whether a pair's K+W are the same for all nonces.
    [[nodiscard]] bool is_shared(std::size_t pair) const {
        return is_number(k_plus_w()[2 * pair]) && is_number(k_plus_w()[2 * pair + 1]);
    }

private:
    static bool is_number(const Operand& operand) {
        return operand.source == Source::kConstant || operand.source == Source::kJob;
    }
};

// The first two rounds of the first hash do not see the nonce.
Hash first_hash() { return {"hash1", "x", make_header_schedule(), StageName::kNonce, 1}; }
Hash second_hash() { return {"hash2", "y", make_digest_schedule(), StageName::kBlock1, 0}; }

std::string call(const std::string& function, const Hash& hash, const std::vector<std::string>& arguments) {
    std::string text = function + "_" + hash.name + "(";
    for (const std::string& argument : arguments) text += (&argument == &arguments.front() ? "" : ", ") + argument;
    return text + ");";
}

std::string call(const std::string& function, const Hash& hash, const std::vector<std::size_t>& numbers) {
    Text arguments;
    for (const std::size_t number : numbers) arguments.push_back(std::to_string(number));
    return call(function, hash, arguments);
}

std::string pair_call(const std::string& function, const Hash& hash, std::size_t pair) {
    const auto operand = [&](std::size_t round) { return statement_operand(hash.k_plus_w()[round], hash.prefix); };
    return call(function, hash, Text{std::to_string(pair), operand(2 * pair), operand(2 * pair + 1)});
}

/// The number of instructions after which a pair's K+W are there.
std::size_t ready_after(const Hash& hash, std::size_t pair) {
    std::size_t ready = 0;
    for (const std::size_t round : {2 * pair, 2 * pair + 1}) {
        const Operand& operand = hash.k_plus_w()[round];
        if (operand.source == Source::kValue) ready = std::max<std::size_t>(ready, operand.index + 1);
    }
    return ready;
}

/// A unit's schedule, each pair stored as soon as it is there.
void append_schedule(const Hash& hash, Text& text) {
    const auto& code = hash.program.stage(hash.stage).code;
    for (std::size_t i = 0; i < code.size(); ++i) {
        text.push_back(statement(code[i], i, hash.prefix));
        for (std::size_t pair = hash.first_pair; pair < hash.pairs(); ++pair) {
            if (!hash.is_shared(pair) && ready_after(hash, pair) == i + 1)
                text.push_back(pair_call("store", hash, pair));
        }
    }
}

/// A unit's rounds, `slots` nonces in turns.
void append_rounds(const Hash& hash, std::size_t slots, Text& text) {
    for (std::size_t first = 0; first < kUnit; first += slots) {
        for (std::size_t slot = 0; slot < slots; ++slot) text.push_back(call("begin", hash, {slot, first + slot}));
        for (std::size_t pair = hash.first_pair; pair < hash.pairs(); ++pair) {
            for (std::size_t slot = 0; slot < slots; ++slot) {
                text.push_back(hash.is_shared(pair) ? call("shared_rounds", hash, {slot, pair})
                                                    : call("rounds", hash, {slot, pair, first + slot}));
            }
        }
        for (std::size_t slot = 0; slot < slots; ++slot) text.push_back(call("end", hash, {slot, first + slot}));
    }
}

void print_shared_pairs(std::ostream& out, const Hash& hash) {
    for (std::size_t pair = 0; pair < hash.pairs(); ++pair) {
        if (hash.is_shared(pair)) out << pair_call("share", hash, pair) << '\n';
    }
}

void print_lines(std::ostream& out, const Text& text) {
    for (const std::string& line : text) out << line << '\n';
}

/// The statements of both, evenly spread.
void print_in_turns(std::ostream& out, const Text& rounds, const Text& schedules) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        out << rounds[i] << '\n';
        for (; next < (i + 1) * schedules.size() / rounds.size(); ++next) out << schedules[next] << '\n';
    }
}

}  // namespace

void print_woven(std::ostream& out, WovenText text, unsigned slots) {
    const Hash first = first_hash(), second = second_hash();
    if (text == WovenText::kShared) {
        print_statements(out, first.program, StageName::kJob);
        print_shared_pairs(out, first);
        print_shared_pairs(out, second);
        return;
    }
    Text rounds, schedules;
    if (text == WovenText::kSchedule) {
        append_schedule(first, schedules);
        print_lines(out, schedules);
        return;
    }
    append_rounds(second, slots, rounds);
    append_rounds(first, slots, rounds);
    schedules.emplace_back("load_digests();");
    append_schedule(second, schedules);
    if (text == WovenText::kFixed) append_schedule(first, schedules);
    print_in_turns(out, rounds, schedules);
}

}  // namespace gpuminer::kernel
