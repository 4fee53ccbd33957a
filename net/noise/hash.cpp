#include "net/noise/hash.hpp"

#include <algorithm>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "net/noise/openssl.hpp"

namespace gpuminer::net {
namespace {

void update_hash(const Owned<EVP_MD_CTX>& hash, ByteSpans parts) {
    for (const auto& part : parts) must(EVP_DigestUpdate(hash.get(), part.data(), part.size()) == 1);
}

Owned<EVP_MD_CTX> new_hash() {
    Owned<EVP_MD_CTX> hash = owned(EVP_MD_CTX_new());
    must(EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1);
    return hash;
}

void hmac_sha256(const Secret& key, std::span<const std::uint8_t> data, Secret& out) {
    static constexpr std::uint8_t kNothing = 0;  // OpenSSL takes no null, even of no length
    must(HMAC(EVP_sha256(), key.bytes.data(), static_cast<int>(key.bytes.size()),
              data.empty() ? &kNothing : data.data(), data.size(), out.bytes.data(), nullptr) != nullptr);
}

}  // namespace

std::span<const std::uint8_t> bytes_in(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void sha256_of(ByteSpans parts, std::array<std::uint8_t, 32>& out) {
    const Owned<EVP_MD_CTX> hash = new_hash();
    update_hash(hash, parts);
    must(EVP_DigestFinal_ex(hash.get(), out.data(), nullptr) == 1);
}

void tagged_hash(std::string_view tag, ByteSpans parts, std::array<std::uint8_t, 32>& out) {
    std::array<std::uint8_t, 32> start{};
    sha256_of({bytes_in(tag)}, start);
    const Owned<EVP_MD_CTX> hash = new_hash();
    update_hash(hash, {start, start});
    update_hash(hash, parts);
    must(EVP_DigestFinal_ex(hash.get(), out.data(), nullptr) == 1);
}

std::pair<Secret, Secret> hkdf(const Secret& chaining_key, std::span<const std::uint8_t> input) {
    Secret extracted;
    hmac_sha256(chaining_key, input, extracted);
    std::pair<Secret, Secret> keys;
    constexpr std::array<std::uint8_t, 1> kFirst{1};
    hmac_sha256(extracted, kFirst, keys.first);
    std::array<std::uint8_t, 33> second{};
    std::copy(keys.first.bytes.begin(), keys.first.bytes.end(), second.begin());
    second.back() = 2;
    hmac_sha256(extracted, second, keys.second);
    OPENSSL_cleanse(second.data(), second.size());
    return keys;
}

}  // namespace gpuminer::net
