#include "net/noise/symmetric_state.hpp"

#include "net/noise/hash.hpp"

namespace gpuminer::net {

SymmetricState::SymmetricState(std::string_view protocol) {
    sha256_of({bytes_in(protocol)}, chaining_key_.bytes);
    sha256_of({chaining_key_.bytes}, hash_);
}

void SymmetricState::mix_hash(std::span<const std::uint8_t> data) { sha256_of({hash_, data}, hash_); }

void SymmetricState::mix_key(const Secret& input) {
    const auto [chaining_key, key] = hkdf(chaining_key_, input.bytes);
    chaining_key_ = chaining_key;
    cipher_.emplace(key);
}

std::optional<Bytes> SymmetricState::open(std::span<const std::uint8_t> sealed) {
    auto plain = cipher_.value().open(sealed, hash_);
    mix_hash(sealed);
    return plain;
}

std::pair<Secret, Secret> SymmetricState::split() const { return hkdf(chaining_key_, {}); }

}  // namespace gpuminer::net
