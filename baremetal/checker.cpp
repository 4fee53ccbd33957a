#include "baremetal/checker.hpp"

namespace gpuminer::baremetal {
namespace {

// FIPS 180-4, 4.2.2.
constexpr std::uint32_t kConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t right(std::uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

// 6.2.2; a to h are state[0] to state[7].
void add_block(std::uint32_t (&hash)[8], const std::uint8_t* block) {
    std::uint32_t w[64];
    for (unsigned t = 0; t < 16; ++t) {
        const std::uint8_t* word = block + std::size_t{4} * t;
        w[t] = std::uint32_t{word[0]} << 24 | std::uint32_t{word[1]} << 16 | std::uint32_t{word[2]} << 8 | word[3];
    }
    for (unsigned t = 16; t < 64; ++t) {
        const std::uint32_t sigma0 = right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3;
        const std::uint32_t sigma1 = right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    std::uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    std::uint32_t e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (unsigned t = 0; t < 64; ++t) {
        const std::uint32_t sum1 = right(e, 6) ^ right(e, 11) ^ right(e, 25), ch = (e & f) ^ (~e & g);
        const std::uint32_t sum0 = right(a, 2) ^ right(a, 13) ^ right(a, 22), maj = (a & b) ^ (a & c) ^ (b & c);
        const std::uint32_t t1 = h + sum1 + ch + kConstants[t] + w[t], t2 = sum0 + maj;
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
    hash[4] += e, hash[5] += f, hash[6] += g, hash[7] += h;
}

}  // namespace

Digest sha256(const std::uint8_t* message, std::size_t size) {
    std::uint8_t padded[128] = {};  // 5.1.1
    for (std::size_t i = 0; i < size; ++i) padded[i] = message[i];
    padded[size] = 0x80;
    const std::size_t blocks = size < 56 ? 1 : 2;
    padded[64 * blocks - 2] = static_cast<std::uint8_t>(size * 8 >> 8);
    padded[64 * blocks - 1] = static_cast<std::uint8_t>(size * 8);

    std::uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};  // 5.3.3
    for (std::size_t i = 0; i < blocks; ++i) add_block(hash, padded + 64 * i);
    Digest digest;
    for (unsigned i = 0; i < 32; ++i) digest.bytes[i] = static_cast<std::uint8_t>(hash[i / 4] >> (24 - i % 4 * 8));
    return digest;
}

bool Number256::at_most(const Number256& other) const {
    for (int i = 31; i >= 0; --i) {
        if (bytes[i] != other.bytes[i]) return bytes[i] < other.bytes[i];
    }
    return true;
}

std::uint32_t Number256::top_word() const {
    return std::uint32_t{bytes[31]} << 24 | std::uint32_t{bytes[30]} << 16 | std::uint32_t{bytes[29]} << 8 | bytes[28];
}

Header Header::with_nonce(std::uint32_t nonce) const {
    Header changed = *this;
    for (unsigned i = 0; i < 4; ++i) changed.bytes[76 + i] = static_cast<std::uint8_t>(nonce >> 8 * i);
    return changed;
}

std::uint32_t Header::number_at(std::size_t offset) const {
    return std::uint32_t{bytes[offset]} | std::uint32_t{bytes[offset + 1]} << 8 |
           std::uint32_t{bytes[offset + 2]} << 16 | std::uint32_t{bytes[offset + 3]} << 24;
}

Number256 hash_of(const Header& header) {
    const Digest once = sha256(header.bytes, sizeof(header.bytes));
    const Digest twice = sha256(once.bytes, sizeof(once.bytes));
    Number256 number;
    for (unsigned i = 0; i < 32; ++i) number.bytes[i] = twice.bytes[i];
    return number;
}

bool target_of_nbits(std::uint32_t nbits, Number256& target) {
    const std::uint32_t exponent = nbits >> 24, mantissa = nbits & 0x7fffff;
    target = {};
    if ((nbits & 0x800000) != 0 && mantissa != 0) return false;
    for (std::uint32_t i = 0; i < 3; ++i) {  // byte i of the mantissa is byte i + exponent - 3 of the target
        const auto byte = static_cast<std::uint8_t>(mantissa >> 8 * i);
        if (byte == 0 || i + exponent < 3) continue;
        if (i + exponent - 3 > 31) return false;
        target.bytes[i + exponent - 3] = byte;
    }
    return true;
}

}  // namespace gpuminer::baremetal
