#include "net/noise/cipher.hpp"

#include <algorithm>
#include <array>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "host/errors.hpp"

namespace gpuminer::net {

NoiseCipher::NoiseCipher(const Secret& key, std::uint64_t first, bool seals)
    : context_(owned(EVP_CIPHER_CTX_new())), number_(first) {
    if (EVP_CipherInit_ex(context_.get(), EVP_chacha20_poly1305(), nullptr, key.bytes.data(), nullptr, seals ? 1 : 0) !=
        1) {
        ERR_clear_error();
        throw NetworkError("Stratum V2 needs ChaCha20-Poly1305, which this system's OpenSSL does not have");
    }
}

void NoiseCipher::begin(std::span<const std::uint8_t> associated) {
    std::array<std::uint8_t, 12> nonce{};  // four zeros, then the number
    store_le(std::span(nonce).subspan(4), number_);
    must(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, nonce.data(), -1) == 1);
    int size = 0;
    if (associated.empty()) return;
    must(EVP_CipherUpdate(context_.get(), nullptr, &size, associated.data(), static_cast<int>(associated.size())) == 1);
}

Bytes NoiseCipher::converted(std::span<const std::uint8_t> text) {
    Bytes out(text.size());
    int size = 0;
    if (text.empty()) return out;
    must(EVP_CipherUpdate(context_.get(), out.data(), &size, text.data(), static_cast<int>(text.size())) == 1);
    return out;
}

Bytes SealingCipher::seal(std::span<const std::uint8_t> plain, std::span<const std::uint8_t> associated) {
    begin(associated);
    Bytes out = converted(plain);
    int size = 0;
    out.resize(plain.size() + kTagSize);
    std::uint8_t* const tag = out.data() + plain.size();
    must(EVP_CipherFinal_ex(context_.get(), tag, &size) == 1);  // which writes nothing
    must(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1);
    ++number_;
    return out;
}

std::optional<Bytes> OpeningCipher::open(std::span<const std::uint8_t> sealed,
                                         std::span<const std::uint8_t> associated) {
    if (sealed.size() < kTagSize) return std::nullopt;
    begin(associated);
    Bytes out = converted(sealed.first(sealed.size() - kTagSize));
    std::array<std::uint8_t, kTagSize> tag{};
    std::copy_n(sealed.end() - kTagSize, kTagSize, tag.begin());
    must(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) == 1);
    int size = 0;
    if (EVP_CipherFinal_ex(context_.get(), tag.data(), &size) != 1) {
        ERR_clear_error();
        return std::nullopt;
    }
    ++number_;
    return out;
}

}  // namespace gpuminer::net
