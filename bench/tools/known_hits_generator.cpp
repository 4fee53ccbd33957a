// gpuminer-bench-known-hits FORM FIRST COUNT: list of the hits that `gpuminer bench scan` expects (known_hits_*.inc),
// in ascending order. It uses OpenSSL's SHA-256 and nothing of kernel/, so that the list is independent of what it
// checks. FORM: fixed or rolled. Some million hashes a second; ten where the CPU has SHA instructions. FORM verushash
// lists by the fast form, which tests hold against the portable one.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP has no way to begin at a midstate
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/workloads/known_hits.hpp"
#include "host/block/bytes.hpp"
#include "verushash/example.hpp"
#include "verushash/scanner.hpp"

namespace {

using namespace gpuminer;

constexpr std::size_t kFirstBlock = 64;

/// Whether the double hash of the header with this nonce meets the target.
bool is_hit(const SHA256_CTX& midstate, std::array<std::uint8_t, 16>& tail, std::uint32_t nonce) {
    store_le32(tail, 12, nonce);
    SHA256_CTX first = midstate, second;
    std::array<std::uint8_t, 32> digest;
    SHA256_Update(&first, tail.data(), tail.size());
    SHA256_Final(digest.data(), &first);
    SHA256_Init(&second);
    SHA256_Update(&second, digest.data(), digest.size());
    SHA256_Final(digest.data(), &second);
    // The target is all ones below its top word, so that the top word decides. Its bytes are the digest's last four.
    return load_le32(digest, 28) <= bench::kKnownTargetTop;
}

void list_hits(const BlockHeader& header, std::uint32_t first, std::uint64_t count) {
    SHA256_CTX midstate;
    SHA256_Init(&midstate);
    SHA256_Update(&midstate, header.bytes.data(), kFirstBlock);
    std::array<std::uint8_t, 16> tail;
    std::memcpy(tail.data(), header.bytes.data() + kFirstBlock, tail.size());
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto nonce = static_cast<std::uint32_t>(first + i);
        if (is_hit(midstate, tail, nonce)) std::printf("{%u, %u},\n", header.version(), nonce);
    }
}

void list_verus_hits(NonceRange range) {
    const verushash::FastForm* const form = verushash::usable_fast_form();
    if (form == nullptr) throw std::runtime_error(verushash::why_no_fast_form());
    verushash::Scanner scanner(*form);
    scanner.set_header(verushash::example_header());
    Candidates candidates;
    scanner.scan(range, bench::kKnownTargetTop, candidates);
    std::vector<std::uint32_t> nonces;
    for (const Candidate& candidate : candidates.items()) nonces.push_back(candidate.nonce);
    std::ranges::sort(nonces);
    for (const std::uint32_t nonce : nonces) std::printf("{%u, %u},\n", verushash::kBlockVersion, nonce);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::string form = argc == 4 ? argv[1] : "";
        if (form != "fixed" && form != "rolled" && form != "verushash")
            throw std::invalid_argument("usage: gpuminer-bench-known-hits fixed|rolled|verushash FIRST COUNT");
        const auto first = static_cast<std::uint32_t>(std::stoul(argv[2], nullptr, 0));
        const std::uint64_t count = std::stoull(argv[3], nullptr, 0);
        if (form == "verushash") {
            list_verus_hits({first, count});
            return EXIT_SUCCESS;
        }
        for (const std::uint32_t version : bench::known_versions(form == "rolled"))
            list_hits(bench::known_job().with_version(version), first, count);
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-known-hits: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
