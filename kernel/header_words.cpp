#include "kernel/header_words.hpp"

#include <cstddef>

namespace gpuminer {
namespace {

using word = std::uint32_t;
using sha256::add;
using sha256::ch;
using sha256::maj;
using sha256::rotr;
using sha256::shr;
using sha256::xor3;

word constant(word value) { return value; }

word big_endian(const std::uint8_t* bytes) {
    return word{bytes[0]} << 24 | word{bytes[1]} << 16 | word{bytes[2]} << 8 | bytes[3];
}

}  // namespace

Midstate midstate_of(const std::uint8_t* header, std::uint32_t version) {
    sha256::Block<word> block1;
    for (std::size_t i = 0; i < block1.size(); ++i) block1[i] = big_endian(&header[4 * i]);
    block1[0] = __builtin_bswap32(version);  // a number, serialised little-endian, read big-endian
    return sha256::compress(sha256::initial_state<word>(), block1);
}

Tail tail_of(const std::uint8_t* header) {
    Tail tail{};
    for (std::size_t i = 0; i < tail.size(); ++i) tail[i] = big_endian(&header[64 + 4 * i]);
    return tail;
}

void write_fixed_job_words(const Midstate& midstate_words, const Tail& tail_words, word* table) {
    const auto midstate = [&](std::size_t i) { return midstate_words[i]; };
    const auto tail = [&](std::size_t i) { return tail_words[i]; };
    const auto export_job = [&](std::size_t i, word x) { table[i] = x; };
#include "search_program/fixed_job.inc"
}

}  // namespace gpuminer
