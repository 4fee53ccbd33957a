// gpuminer-bench-known-hits FORM FIRST COUNT: list of the hits that `gpuminer bench scan` expects (known_hits_*.inc),
// in ascending order, twelve a line. It uses OpenSSL's SHA-256 and nothing of kernel/, so that the list is independent
// of what it checks. FORM: fixed or rolled. Some million hashes a second; ten where the CPU has SHA instructions. FORM
// verushash lists by the fast form, which tests hold against the portable one.
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
#include "host/text/bytes.hpp"
#include "verushash/example.hpp"
#include "verushash/scanner.hpp"

namespace {

using namespace gpuminer;

constexpr std::size_t kFirstBlock = 64;
constexpr std::size_t kHitsPerLine = 12;

void print(const std::vector<bench::KnownHit>& hits) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const bool ends_line = (i + 1) % kHitsPerLine == 0 || i + 1 == hits.size();
        std::printf("{%u, %u},%c", hits[i].version, hits[i].nonce, ends_line ? '\n' : ' ');
    }
}

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

void add_hits(const BlockHeader& header, NonceRange range, std::vector<bench::KnownHit>& hits) {
    SHA256_CTX midstate;
    SHA256_Init(&midstate);
    SHA256_Update(&midstate, header.bytes.data(), kFirstBlock);
    std::array<std::uint8_t, 16> tail;
    std::memcpy(tail.data(), header.bytes.data() + kFirstBlock, tail.size());
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = static_cast<std::uint32_t>(range.first + i);
        if (is_hit(midstate, tail, nonce)) hits.push_back({header.version(), nonce});
    }
}

std::vector<bench::KnownHit> bitcoin_hits(bool rolled, NonceRange range) {
    std::vector<bench::KnownHit> hits;
    for (const std::uint32_t version : bench::known_versions(rolled))
        add_hits(bench::known_job().with_version(version), range, hits);
    return hits;
}

std::vector<bench::KnownHit> verus_hits(NonceRange range) {
    const verushash::FastForm* const form = verushash::usable_fast_form();
    if (form == nullptr) throw std::runtime_error(verushash::why_no_fast_form());
    verushash::Scanner scanner(*form);
    scanner.set_header(verushash::example_header());
    Candidates candidates;
    scanner.scan(range, bench::kKnownTargetTop, candidates);
    std::vector<bench::KnownHit> hits;
    for (const Candidate& candidate : candidates.items()) hits.push_back({verushash::kBlockVersion, candidate.nonce});
    std::ranges::sort(hits);
    return hits;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::string form = argc == 4 ? argv[1] : "";
        if (form != "fixed" && form != "rolled" && form != "verushash")
            throw std::invalid_argument("usage: gpuminer-bench-known-hits fixed|rolled|verushash FIRST COUNT");
        const NonceRange range{static_cast<std::uint32_t>(std::stoul(argv[2], nullptr, 0)),
                               std::stoull(argv[3], nullptr, 0)};
        print(form == "verushash" ? verus_hits(range) : bitcoin_hits(form == "rolled", range));
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-known-hits: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
