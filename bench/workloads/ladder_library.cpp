// The step of the ladder that hashes with OpenSSL.
#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/workloads/ladder_steps.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer::bench {
namespace {

struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

void naive_openssl(const BlockHeader& header, const Hash256& target, NonceRange range,
                   std::vector<std::uint32_t>& hits) {
    // Looked up once: the lookup takes longer than a hash.
    const std::unique_ptr<EVP_MD, Free> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
    const auto hash = [&](const auto& message) {
        Digest digest{};
        if (EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) != 1 ||
            EVP_DigestUpdate(context.get(), message.data(), message.size()) != 1 ||
            EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
            throw std::runtime_error("OpenSSL cannot compute SHA-256");
        }
        return digest;
    };
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = range.first + static_cast<std::uint32_t>(i);
        const Digest digest = hash(hash(header.with_nonce(nonce).bytes));
        const bool above =
            std::lexicographical_compare(target.bytes.begin(), target.bytes.end(), digest.rbegin(), digest.rend());
        if (!above) hits.push_back(nonce);
    }
}

}  // namespace

LibraryStep library_step() {
    return {"OpenSSL (beside)", "the naive loop with OpenSSL's SHA-256 (EVP)", naive_openssl};
}

}  // namespace gpuminer::bench
