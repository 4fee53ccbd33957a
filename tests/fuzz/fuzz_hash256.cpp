// Fuzzer of targets as text and as nBits, against independent computations: OpenSSL's reader of the
// format that nBits comes from, and the C library's floating point. The first byte chooses the parser.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include <openssl/bn.h>

#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using fuzz::demand;

namespace {

struct BignumDeleter {
    void operator()(BIGNUM* number) const { BN_free(number); }
};

// nBits was invented as the first four bytes of OpenSSL's MPI format: a number's size in bytes, then the
// number itself with a sign bit. Returns whether it is a target, and which.
bool target_by_mpi(std::uint32_t nbits, Hash256& target) {
    const std::uint32_t size = nbits >> 24;
    std::array<std::uint8_t, 4 + 255> mpi{};
    mpi[3] = static_cast<std::uint8_t>(size);
    for (std::uint32_t i = 0; i < 3 && i < size; ++i) mpi[4 + i] = static_cast<std::uint8_t>(nbits >> (16 - 8 * i));
    const std::unique_ptr<BIGNUM, BignumDeleter> number(BN_mpi2bn(mpi.data(), static_cast<int>(4 + size), nullptr));
    demand(number != nullptr, "OpenSSL reads every size");
    if (BN_is_zero(number.get()) || BN_is_negative(number.get()) || BN_num_bits(number.get()) > 256) return false;
    return BN_bn2binpad(number.get(), target.bytes.data(), 32) == 32;
}

// Properties of any target.
void check_target(const Hash256& target) {
    demand(target_from_hex(target.hex()) == target, "print and parse give the same target");
    demand(difficulty_of(target) > 0, "a difficulty is positive");
    demand(expected_hashes(target) >= 1, "a hit takes at least one hash");
}

void check_nbits(std::uint32_t nbits) {
    Hash256 expected;
    const bool is_target = target_by_mpi(nbits, expected);
    try {
        const Hash256 target = target_from_nbits(nbits);
        demand(is_target && target == expected, "nBits agrees with OpenSSL");
        check_target(target);
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        demand(!is_target, "nBits refuses only what is no target");
    }
}

void check_difficulty(const std::string& text) {
    // strtod also takes white space, signs, hexadecimal, inf and nan; no difficulty has such characters.
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_decimal = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos &&
                            text[0] != '+' && text[0] != '-' && end == text.c_str() + text.size();
    try {
        const Hash256 target = target_from_difficulty(text);
        demand(is_decimal && number > 0, "a difficulty is a positive decimal number");
        check_target(target);
        // Rounding the target down makes it harder by less than one part in the target.
        const double difficulty = difficulty_of(target);
        demand(difficulty >= number * (1 - 1e-12), "the target is rounded down");
        demand(difficulty <= number * (1 + 1e-12) * (1 + std::ldexp(difficulty, -208)),
               "the target is as large as it can be");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        demand(!is_decimal || text.size() > 200 || number < 2.3283e-10 || number > 2.6959e67,
               "a difficulty with a 256-bit target is accepted");
    }
}

void check_hex(const std::string& text) {
    try {
        check_target(target_from_hex(text));
        demand(text.size() == 64, "a target has 64 digits");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    try {
        check_nbits(nbits_from_hex(text));
        demand(text.size() == 8, "nBits has 8 digits");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 3) {
        case 0: check_difficulty(text); break;
        case 1: check_hex(text); break;
        default:
            if (text.size() >= 4) check_nbits(load_be32({data, size}, 1));
    }
    return 0;
}
