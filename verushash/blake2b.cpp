#include "verushash/blake2b.hpp"

#include <stdexcept>

#include <sodium/crypto_generichash_blake2b.h>

namespace gpuminer::verushash {

PreHeaderHash pre_header_blake2b(std::span<const std::uint8_t> data) {
    constexpr std::array<std::uint8_t, crypto_generichash_blake2b_PERSONALBYTES> kPersonal{
        'V', 'e', 'r', 'u', 's', 'D', 'e', 'f', 'a', 'u', 'l', 't', 'H', 'a', 's', 'h'};
    PreHeaderHash hash{};
    if (crypto_generichash_blake2b_salt_personal(hash.data(), hash.size(), data.data(), data.size(), nullptr, 0,
                                                 nullptr, kPersonal.data()) != 0) {
        throw std::runtime_error("libsodium refuses BLAKE2b-256");
    }
    return hash;
}

}  // namespace gpuminer::verushash
