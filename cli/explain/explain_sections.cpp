// The sections of `gpuminer explain`.
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "cli/explain/explain.hpp"
#include "host/block/header_text.hpp"
#include "host/text/text.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer {
namespace {

using lesson::Formulas;
using lesson::Paragraph;
using lesson::Section;
using lesson::Value;
using lesson::Values;

constexpr std::size_t kWordsInALine = 8;

Value words(std::string name, std::span<const std::uint32_t> words) {
    Value value{std::move(name), {}, {}};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i % kWordsInALine == 0) value.lines.emplace_back();
        value.lines.back() += (i % kWordsInALine == 0 ? "" : " ") + hex8(words[i]);
    }
    return value;
}

/// What the bits of a version say beyond the number (BIP 9, BIP 323); empty: nothing.
std::string version_note(std::uint32_t version) {
    if (version >> 29 != 1) return "";
    std::string bits;
    for (unsigned bit = 0; bit < 29; ++bit) {
        if ((version >> bit & 1) != 0) bits += (bits.empty() ? "" : ", ") + std::to_string(bit);
    }
    return fmt::format(
        "The version begins with the bits 001, so that each of its other 29 bits is a signal (BIP 9); set: {}. Miners "
        "may use bits 5 to 28 as they like (BIP 323): more room to search when the nonces are used up.",
        bits.empty() ? "none" : bits);
}

Section header_section(const Explanation& e) {
    const BlockHeader& header = e.header;
    const auto stored = [&](std::size_t first, std::size_t count) {
        return to_hex(std::span(header.bytes).subspan(first, count));
    };
    const auto number = [&](std::string name, std::size_t first, const std::string& meaning) {
        return Value{std::move(name), {fmt::format("{}  {}", stored(first, 4), meaning)}, {}};
    };
    const auto hash = [&](std::string name, std::size_t first, const Hash256& value) {
        return Value{std::move(name), {stored(first, 32) + "  stored", value.hex() + "  display"}, {}};
    };
    Section section{
        "The header: 80 bytes, six fields",
        {Paragraph{"Numbers are stored lowest byte first (little-endian). Hashes are stored in \"internal\" order, "
                   "as SHA-256 puts them out; block explorers print them in \"display\" order, the same bytes "
                   "reversed."},
         Values{number("bytes 0-3: version", 0, fmt::format("{} (0x{:08x})", header.version(), header.version())),
                hash("bytes 4-35: previous hash", 4, header.previous_hash()),
                hash("bytes 36-67: merkle root", 36, header.merkle_root()),
                number("bytes 68-71: time", 68, fmt::format("{} = {}", header.time(), utc_time(header.time()))),
                number("bytes 72-75: nBits", 72, fmt::format("{:08x}, the target in short (see 7)", header.nbits())),
                number("bytes 76-79: nonce", 76, fmt::format("{} (0x{:08x})", header.nonce(), header.nonce()))}}};
    if (const std::string note = version_note(header.version()); !note.empty())
        section.parts.emplace_back(Paragraph{note});
    if (!e.nonce_given)
        section.parts.emplace_back(Paragraph{"The input has 152 digits and so no nonce: what follows is for nonce 0."});
    return section;
}

Section padding_section(const Explanation& e) {
    return {
        "Padding: two blocks of 64 bytes",
        {Paragraph{
             "SHA-256 works on blocks of 64 bytes, read as sixteen 32-bit words, highest byte first (big-endian). "
             "The message is followed by a one bit (80...), zeros, and its length in bits: 80 bytes = 640 = "
             "0x280."},
         Values{words("block 1, W[0] to W[15]: header bytes 0 to 63", e.block1.block),
                words("block 2, W[0] to W[15]: header bytes 64 to 79 (W[3] is the nonce), padding", e.block2.block)}}};
}

/// T1 and T2 follow from the states around a round: the new e is d + T1, the new a is T1 + T2.
Table rounds_of(const Compression& compression) {
    Table table{{"round", "W", "K", "T1", "T2", "new a", "new e"}, {}};
    Compression::State before = compression.before;
    for (std::size_t t = 0; t < compression.rounds.size(); ++t) {
        const Compression::State& after = compression.rounds[t];
        const std::uint32_t t1 = after[4] - before[3], t2 = after[0] - t1;
        table.rows.push_back({std::to_string(t), hex8(compression.schedule[t]), hex8(sha256::kRoundConstants[t]),
                              hex8(t1), hex8(t2), hex8(after[0]), hex8(after[4])});
        before = after;
    }
    return table;
}

void add_compression(Section& section, const Compression& compression, std::string result, bool steps) {
    section.parts.emplace_back(Values{words("state before, a to h", compression.before)});
    if (steps) {
        section.parts.emplace_back(Values{words("the schedule, W[0] to W[63]", compression.schedule)});
        section.parts.emplace_back(rounds_of(compression));
    }
    section.parts.emplace_back(
        Values{words("state after 64 rounds", compression.rounds.back()),
               words(std::move(result) + ": the sums of both, word by word", compression.after)});
}

Section first_block_section(const Explanation& e, bool steps) {
    Section section{
        "First hash, block 1: the midstate",
        {Paragraph{"Eight words, a to h, start from SHA-256's fixed values. Each of 64 rounds mixes in one word of the "
                   "schedule W and one constant K; W[16] to W[63] are made from the sixteen words of the block:"},
         Formulas{{"W[t] = s1(W[t-2]) + W[t-7] + s0(W[t-15]) + W[t-16]", "T1 = h + S1(e) + ch(e,f,g) + K[t] + W[t]",
                   "T2 = S0(a) + maj(a,b,c)", "the new a is T1 + T2, the new e is d + T1; of the others each takes the",
                   "value of its neighbour: b that of a, c of b, d of c, f of e, g of f, h of g"}},
         Paragraph{"with these functions of FIPS 180-4 (>>> rotates, >> shifts, ^ is xor, sums are modulo 2^32):"},
         Formulas{{"s0(x) = x>>>7 ^ x>>>18 ^ x>>3     s1(x) = x>>>17 ^ x>>>19 ^ x>>10",
                   "S0(x) = x>>>2 ^ x>>>13 ^ x>>>22   S1(x) = x>>>6 ^ x>>>11 ^ x>>>25",
                   "ch(e,f,g): each bit from f where e has a one, else from g", "maj(a,b,c): each bit by majority"}},
         Paragraph{
             "The fixed values are the first 32 bits of the fractional parts of the square roots of the first 8 primes "
             "(sqrt(2) = 1.6a09e667... in hex), the K those of the cube roots of the first 64: numbers that nobody "
             "could choose with something in mind."}}};
    add_compression(section, e.block1, "midstate", steps);
    section.parts.emplace_back(
        Paragraph{"The nonce is not in block 1, so a miner computes the midstate once for all nonces."});
    return section;
}

Section second_block_section(const Explanation& e, bool steps) {
    Section section{"First hash, block 2: digest 1", {}};
    add_compression(section, e.block2, "digest 1", steps);
    return section;
}

Section second_hash_section(const Explanation& e, bool steps) {
    Section section{
        "Second hash: digest 2",
        {Paragraph{"The 32 bytes of digest 1 are hashed again, in one block with its own padding: 256 bits = "
                   "0x100."},
         Values{words("W[0] to W[15]", e.second.block)}}};
    add_compression(section, e.second, "digest 2", steps);
    return section;
}

Section hash_section(const Explanation& e) {
    return {"The block hash",
            {Paragraph{"Digest 2 is read as a number with its lowest byte first, so people print its bytes reversed."},
             Values{{"digest 2, internal order", {e.second.after_hex()}, {}},
                    {"hash, display order", {e.hash.hex()}, {}}}}};
}

std::string target_formula(std::uint32_t nbits) {
    return fmt::format("target = 0x{:06x} * 256^({} - 3){}", nbits & 0x7fffff, nbits >> 24,
                       (nbits >> 24) < 3 ? ", rounded down" : "");
}

Section target_section(const Explanation& e) {
    const char* const title = "Hash against target";
    if (!e.target) return {title, {Paragraph{e.target_problem + ". No hash can meet it."}}};
    const auto value = [](const char* name, const Hash256& hash) {
        return Value{fmt::format("{}: {} leading zero bits", name, leading_zero_bits(hash)), {hash.hex()}, {}};
    };
    const std::string verdict =
        e.hash <= *e.target ? fmt::format("The hash is {} the target: this header is a valid proof of work.",
                                          e.hash == *e.target ? "equal to" : "below")
                            : "The hash is above the target: this header is not a proof of work; another nonce may be.";
    return {title,
            {Paragraph{fmt::format("nBits {:08x}: the first byte is a size, the rest a number.", e.header.nbits())},
             Formulas{{target_formula(e.header.nbits())}}, Values{value("target", *e.target), value("hash", e.hash)},
             Paragraph{verdict}}};
}

Section difficulty_section(const Hash256& target) {
    const double hashes = expected_hashes(target);
    return {"Difficulty",
            {Paragraph{
                fmt::format("How much smaller the target is than the easiest of Bitcoin's main network (nBits "
                            "1d00ffff): {:.10g}. One hash in 2^256 / (target + 1) = {:.6g} (about 2^{:.1f}) meets it.",
                            difficulty_of(target), hashes, std::log2(hashes))}}};
}

}  // namespace

std::vector<lesson::Section> explain_sections(const Explanation& explanation, bool steps) {
    std::vector<Section> sections = {header_section(explanation),
                                     padding_section(explanation),
                                     first_block_section(explanation, steps),
                                     second_block_section(explanation, steps),
                                     second_hash_section(explanation, steps),
                                     hash_section(explanation),
                                     target_section(explanation)};
    if (explanation.target) sections.push_back(difficulty_section(*explanation.target));
    return sections;
}

}  // namespace gpuminer
