// The text output of `gpuminer explain`.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "host/block/explain.hpp"
#include "host/block/header_text.hpp"
#include "host/block/text.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer {
namespace {

class TextWriter {
public:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += '\n';
    }
    void gap() { text_ += '\n'; }
    void words(std::string_view label, std::span<const std::uint32_t> words) {
        std::string row;
        for (const std::uint32_t word : words) row += fmt::format(" {:08x}", word);
        line("   {:<17}{}", label, row);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

void write_field(TextWriter& out, const BlockHeader& header, std::size_t first, std::size_t last, std::string_view name,
                 const std::string& meaning) {
    const std::string stored = to_hex(std::span(header.bytes).subspan(first, last - first + 1));
    // A hash is too long to stand beside its meaning.
    const std::string separator = stored.size() > 8 ? "\n" + std::string(25, ' ') : "  ";
    out.line("   {:>2}-{:<2}  {:<13}  {}{}{}", first, last, name, stored, separator, meaning);
}

void write_header(TextWriter& out, const Explanation& e) {
    const BlockHeader& header = e.header;
    out.line("1. The header: 80 bytes, six fields");
    out.gap();
    out.line("   Numbers are stored lowest byte first (little-endian). Hashes are stored in \"internal\" order, as");
    out.line("   SHA-256 puts them out; block explorers print them in \"display\" order, the same bytes reversed.");
    out.gap();
    out.line("   bytes  field          as stored, and what it means");
    write_field(out, header, 0, 3, "version", fmt::format("{} (0x{:08x})", header.version(), header.version()));
    write_field(out, header, 4, 35, "previous hash", header.previous_hash().hex() + " in display order");
    write_field(out, header, 36, 67, "merkle root", header.merkle_root().hex() + " in display order");
    write_field(out, header, 68, 71, "time", fmt::format("{} = {}", header.time(), utc_time(header.time())));
    write_field(out, header, 72, 75, "nBits", fmt::format("{:08x}, the target in short (see 7)", header.nbits()));
    write_field(out, header, 76, 79, "nonce", fmt::format("{} (0x{:08x})", header.nonce(), header.nonce()));
    out.gap();
    if (!e.nonce_given) {
        out.line("   The input has 152 digits and so no nonce: what follows is for nonce 0.");
        out.gap();
    }
}

void write_block(TextWriter& out, const Compression& compression) {
    const std::span<const std::uint32_t> block(compression.block);
    out.words("W[0] to W[7]", block.first(8));
    out.words("W[8] to W[15]", block.last(8));
}

void write_padding(TextWriter& out, const Explanation& e) {
    out.line("2. Padding: two blocks of 64 bytes");
    out.gap();
    out.line("   SHA-256 works on blocks of 64 bytes, read as sixteen 32-bit words, highest byte first (big-endian).");
    out.line("   The message is followed by a one bit (80...), zeros, and its length in bits: 80 bytes = 640 = 0x280.");
    out.gap();
    out.line("   Block 1: header bytes 0 to 63");
    write_block(out, e.block1);
    out.line("   Block 2: header bytes 64 to 79 (W[3] is the nonce, in the byte order as stored), then the padding");
    write_block(out, e.block2);
    out.gap();
}

void write_compression(TextWriter& out, const Compression& compression, std::string_view result_name, bool steps) {
    out.words("state before", compression.before);
    if (steps) {
        out.gap();
        out.line("   round W        K        a        b        c        d        e        f        g        h");
        for (std::size_t t = 0; t < 64; ++t) {
            std::string state;
            for (const std::uint32_t word : compression.rounds[t]) state += fmt::format(" {:08x}", word);
            out.line("   {:>5} {:08x} {:08x}{}", t, compression.schedule[t], sha256::kRoundConstants[t], state);
        }
        out.gap();
    }
    out.words("after 64 rounds", compression.rounds.back());
    out.words(result_name, compression.after);
}

void write_hashes(TextWriter& out, const Explanation& e, bool steps) {
    out.line("3. First hash, block 1: the midstate");
    out.gap();
    out.line("   Eight words, a to h, start from SHA-256's fixed values. Each of 64 rounds mixes in one word of the");
    out.line("   schedule W and one constant K; W[16] to W[63] are made from the sixteen words of the block:");
    out.line("     W[t] = s1(W[t-2]) + W[t-7] + s0(W[t-15]) + W[t-16]");
    out.line("     t1 = h + S1(e) + ch(e,f,g) + K[t] + W[t],  t2 = S0(a) + maj(a,b,c)");
    out.line("     the new a is t1 + t2, the new e is d + t1, the other six move one place down");
    out.line("   with these functions of FIPS 180-4 (>>> rotates, >> shifts, ^ is xor, sums are modulo 2^32):");
    out.line("     s0(x) = x>>>7 ^ x>>>18 ^ x>>3     s1(x) = x>>>17 ^ x>>>19 ^ x>>10");
    out.line("     S0(x) = x>>>2 ^ x>>>13 ^ x>>>22   S1(x) = x>>>6 ^ x>>>11 ^ x>>>25");
    out.line("     ch(e,f,g): each bit from f where e has a one, else from g;  maj(a,b,c): each bit by majority");
    out.line("   At the end the state before is added to the result, word by word.");
    out.line("   The fixed values are the first 32 bits of the fractional parts of the square roots of the first 8");
    out.line("   primes (sqrt(2) = 1.6a09e667... in hex), the K those of the cube roots of the first 64: numbers that");
    out.line("   nobody could choose with something in mind.");
    out.gap();
    write_compression(out, e.block1, "midstate", steps);
    out.gap();
    out.line("   The nonce is not in block 1, so a miner computes the midstate once for all nonces.");
    out.gap();
    out.line("4. First hash, block 2: digest 1");
    out.gap();
    write_compression(out, e.block2, "digest 1", steps);
    out.gap();
    out.line("5. Second hash: digest 2");
    out.gap();
    out.line("   The 32 bytes of digest 1 are hashed again, in one block with its own padding: 256 bits = 0x100.");
    write_block(out, e.second);
    out.gap();
    write_compression(out, e.second, "digest 2", steps);
    out.gap();
    out.line("6. The block hash");
    out.gap();
    out.line("   Digest 2 is read as a number with its lowest byte first, so people print its bytes reversed.");
    out.line("   digest 2   {}  internal order", e.second.after_hex());
    out.line("   hash       {}  display order", e.hash.hex());
    out.gap();
}

void write_target(TextWriter& out, const Explanation& e) {
    const std::uint32_t nbits = e.header.nbits();
    out.line("7. Hash against target");
    out.gap();
    if (!e.target) {
        out.line("   {}. No hash can meet it.", e.target_problem);
        return;
    }
    out.line("   nBits {:08x}: the first byte is a size, the rest a number; target = 0x{:06x} * 256^({} - 3){}.", nbits,
             nbits & 0x7fffff, nbits >> 24, (nbits >> 24) < 3 ? ", rounded down" : "");
    out.line("   target     {}  {} leading zero bits", e.target->hex(), leading_zero_bits(*e.target));
    out.line("   hash       {}  {} leading zero bits", e.hash.hex(), leading_zero_bits(e.hash));
    if (e.hash <= *e.target) {
        out.line("   The hash is {} the target: this header is a valid proof of work.",
                 e.hash == *e.target ? "equal to" : "below");
    } else {
        out.line("   The hash is above the target: this header is not a proof of work; another nonce may be.");
    }
    out.gap();
    out.line("8. Difficulty");
    out.gap();
    const double hashes = expected_hashes(*e.target);
    out.line("   How much smaller the target is than the easiest of Bitcoin's main network (nBits 1d00ffff):");
    out.line("   {:.10g}. One hash in 2^256 / (target + 1) = {:.6g} (about 2^{:.1f}) meets it.",
             difficulty_of(*e.target), hashes, std::log2(hashes));
}

}  // namespace

std::string explain_text(const Explanation& explanation, bool steps) {
    TextWriter out;
    write_header(out, explanation);
    write_padding(out, explanation);
    write_hashes(out, explanation, steps);
    write_target(out, explanation);
    return out.take();
}

}  // namespace gpuminer
