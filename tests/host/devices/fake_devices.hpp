// A device for tests. It hashes with OpenSSL from a Sha256dJob's midstates, counts what it is asked to scan, and
// misbehaves on demand. It tells self-test jobs from the search's own by the header's tail.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

// The low-level functions are the only ones that start from a midstate, and look up no algorithm for each hash, which
// takes longer than the hash.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "host/backend.h"
#include "host/block/header.hpp"
#include "kernel/sha256d_job.hpp"
#include "tests/waiting.hpp"

namespace gpuminer::test {

/// H7 of the double SHA-256 of the header that `job` describes.
inline std::uint32_t last_word(const Sha256dJob& job, std::size_t version_index, std::uint32_t nonce) {
    SHA256_CTX context;
    SHA256_Init(&context);
    std::memcpy(context.h, job.midstates()[version_index].data(), sizeof(context.h));
    context.Nl = 512;  // bits hashed so far
    std::uint32_t words[4] = {__builtin_bswap32(job.tail()[0]), __builtin_bswap32(job.tail()[1]),
                              __builtin_bswap32(job.tail()[2]), nonce};
    SHA256_Update(&context, words, sizeof(words));
    unsigned char digest[32];
    SHA256_Final(digest, &context);
    SHA256_Init(&context);
    SHA256_Update(&context, digest, sizeof(digest));
    SHA256_Final(digest, &context);
    std::uint32_t word = 0;
    std::memcpy(&word, digest + 28, sizeof(word));
    return __builtin_bswap32(word);
}

/// How often each (version, nonce) was scanned to the end; for spaces of up to some million pairs.
class Coverage {
public:
    Coverage(std::uint32_t start, std::uint32_t end, const std::vector<std::uint32_t>& versions)
        : start_(start),
          nonces_(std::uint64_t{end} - start + 1),
          versions_(versions),
          counts_(versions.size() * nonces_) {}

    void add(const Sha256dJob& job, NonceRange range) {
        const std::lock_guard lock(mutex_);
        for (const std::uint32_t version : job.versions()) {
            for (std::size_t v = 0; v < versions_.size(); ++v) {
                if (versions_[v] != version) continue;
                for (std::uint64_t i = 0; i < range.count; ++i) {
                    const std::uint64_t offset = range.first + i - start_;
                    if (range.first < start_ || offset >= nonces_) {
                        outside_ = true;
                    } else {
                        ++counts_[v * nonces_ + offset];
                    }
                }
            }
        }
    }
    /// Pairs scanned at least `least` and at most `most` times, out of all; nothing outside the space.
    [[nodiscard]] bool all_within(unsigned least, unsigned most) const {
        const std::lock_guard lock(mutex_);
        for (const unsigned count : counts_) {
            if (count < least || count > most) return false;
        }
        return !outside_;
    }
    [[nodiscard]] bool exactly_once() const { return all_within(1, 1); }
    /// Scans of pairs, however often each was scanned.
    [[nodiscard]] std::uint64_t total() const {
        const std::lock_guard lock(mutex_);
        return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    }

private:
    const std::uint32_t start_;
    const std::uint64_t nonces_;
    const std::vector<std::uint32_t> versions_;
    mutable std::mutex mutex_;
    std::vector<unsigned> counts_;
    bool outside_ = false;
};

struct Behaviour {
    std::uint64_t batch = 2000;
    bool can_hang = false;               ///< the fakes whose tests wait for them cannot
    bool hashing = true;                 ///< false: search jobs find nothing and take `delay` only
    std::chrono::microseconds delay{0};  ///< per scan of a search job
    Coverage* coverage = nullptr;
    std::atomic<unsigned>* scans = nullptr;  ///< counts scans of search jobs
    /// Called before the n-th (from 1) scan of a search job; may throw.
    std::function<void(unsigned)> before_scan;
    /// Changes the right result of a search job's (or a self-test's) scan.
    std::function<void(const Sha256dJob&, NonceRange, ScanResult&)> tamper;
    std::function<void(const Sha256dJob&, NonceRange, ScanResult&)> tamper_self_test;
    std::function<void()> attach;
    std::function<void()> before_self_test_scan;
};

class FakeDevice : public Device {
public:
    FakeDevice(std::string name, const BlockHeader& searched, Behaviour behaviour)
        : searched_(searched), behaviour_(std::move(behaviour)) {
        info_.name = std::move(name);
        info_.backend = "fake";
        ++alive;
    }
    ~FakeDevice() override { --alive; }

    static inline std::atomic<int> alive = 0;  ///< devices of this kind

    const DeviceInfo& info() const override { return info_; }
    std::uint64_t batch() const override { return behaviour_.batch; }
    bool can_hang() const override { return behaviour_.can_hang; }
    void attach_thread() override {
        if (behaviour_.attach) behaviour_.attach();
    }

    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        if (!is_search_job(job)) {
            if (behaviour_.before_self_test_scan) behaviour_.before_self_test_scan();
            hash(job, range, result);
            if (behaviour_.tamper_self_test) behaviour_.tamper_self_test(job, range, result);
            return;
        }
        ++scans_;
        if (behaviour_.scans) ++*behaviour_.scans;
        if (behaviour_.before_scan) behaviour_.before_scan(scans_);
        if (behaviour_.delay.count() > 0) pass_time(behaviour_.delay);
        if (behaviour_.hashing) hash(job, range, result);
        if (behaviour_.tamper) behaviour_.tamper(job, range, result);
        if (behaviour_.coverage && !result.candidates.overflow()) behaviour_.coverage->add(job, range);
        result.cycles.add_slice(10 * range.count * job.versions().size(), range.count * job.versions().size());
    }

private:
    bool is_search_job(const Sha256dJob& job) const {
        for (std::size_t i = 0; i < 3; ++i) {
            if (job.tail()[i] != load_be32(searched_.bytes, 64 + 4 * i)) return false;
        }
        return true;
    }
    /// Highest first: a device may report candidates in any order.
    static void hash(const Sha256dJob& job, NonceRange range, ScanResult& result) {
        for (auto v = static_cast<std::uint32_t>(job.versions().size()); v-- > 0;) {
            for (std::uint64_t i = range.count; i-- > 0;) {
                const auto nonce = static_cast<std::uint32_t>(range.first + i);
                if (passes_top_word(last_word(job, v, nonce), job.target_top())) result.candidates.push({v, nonce});
            }
        }
    }

    DeviceInfo info_;
    const BlockHeader searched_;
    const Behaviour behaviour_;
    unsigned scans_ = 0;
};

}  // namespace gpuminer::test
