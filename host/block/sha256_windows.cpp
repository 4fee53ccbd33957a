// By Cryptography API: Next Generation.
#include "host/block/sha256.hpp"

#include <windows.h>

#include <bcrypt.h>  // after windows.h

#include <stdexcept>

namespace gpuminer {
namespace {

[[noreturn]] void fail() { throw std::runtime_error("the system's SHA-256 failed"); }

/// For all threads, as long as the process runs.
BCRYPT_ALG_HANDLE algorithm() {
    static const BCRYPT_ALG_HANDLE opened = [] {
        BCRYPT_ALG_HANDLE handle = nullptr;
        if (BCryptOpenAlgorithmProvider(&handle, BCRYPT_SHA256_ALGORITHM, nullptr, 0) != 0) fail();
        return handle;
    }();
    return opened;
}

}  // namespace

Digest sha256_digest(std::span<const std::uint8_t> data) {
    Digest digest{};
    auto* const bytes = const_cast<PUCHAR>(data.data());  // which are only read
    if (BCryptHash(algorithm(), nullptr, 0, bytes, static_cast<ULONG>(data.size()), digest.data(),
                   static_cast<ULONG>(digest.size())) != 0)
        fail();
    return digest;
}

}  // namespace gpuminer
