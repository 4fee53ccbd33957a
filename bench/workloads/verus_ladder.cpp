// The workload `ladder` of VerusHash: the gain from computing values that do not depend on the nonce once per header,
// and from several nonces at once. All steps use the fast form's code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "bench/workloads/cpu_workloads.hpp"
#include "verushash/example.hpp"
#include "verushash/hash.hpp"
#include "verushash/scanner.hpp"

namespace gpuminer::bench {
namespace {

namespace vh = verushash;

/// One of 256 nonces is a hit.
constexpr std::uint32_t kEasyTop = 0x00ffffff;
constexpr NonceRange kVerifiedRange{1'000'000, 800};

/// A search with one nonce after the other, and what it keeps from one to the next.
class OneByOne {
public:
    enum class PerNonce { kEverything, kKey, kKeyCopied, kNothing };

    OneByOne(const vh::FastForm& form, PerNonce per_nonce)
        : form_(form),
          per_nonce_(per_nonce),
          workspace_(::operator new(form.workspace_bytes(), kAlignment)),
          job_(std::make_unique<vh::PreparedJob>()) {
        absorb(header_);
        form_.make_key(*job_);
        form_.reset_workspace(workspace_.get(), *job_);
    }

    void search(const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
        for (std::uint64_t i = 0; i < range.count; ++i) {
            const auto nonce = static_cast<std::uint32_t>(range.first + i);
            if (per_nonce_ == PerNonce::kEverything) absorb(header_.with_nonce(nonce));
            if (per_nonce_ <= PerNonce::kKey) form_.make_key(*job_);
            const bool whole_key = per_nonce_ != PerNonce::kNothing;
            const std::uint32_t top = form_.hash_one(workspace_.get(), *job_, nonce, whole_key);
            if (top <= target.top_word()) hits.push_back(nonce);
        }
    }

private:
    static constexpr std::align_val_t kAlignment{alignof(vh::PreparedJob)};
    struct Free {
        void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
    };

    void absorb(const vh::Header& header) { form_.absorb(vh::canonical_form(header).bytes.data(), *job_); }

    const vh::FastForm& form_;
    const PerNonce per_nonce_;
    const vh::Header header_ = vh::example_header();
    std::unique_ptr<void, Free> workspace_;
    std::unique_ptr<vh::PreparedJob> job_;
};

auto one_by_one(const vh::FastForm& form, OneByOne::PerNonce per_nonce) {
    return [search = std::make_shared<OneByOne>(form, per_nonce)](const Hash256& target, NonceRange range,
                                                                  std::vector<std::uint32_t>& hits) {
        search->search(target, range, hits);
    };
}

auto interleaved(const vh::FastForm& form) {
    const auto scanner = std::make_shared<vh::Scanner>(form);
    scanner->set_header(vh::example_header());
    return [scanner](const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
        Candidates candidates;
        scanner->scan(range, target.top_word(), candidates);
        for (const Candidate& candidate : candidates.items()) hits.push_back(candidate.nonce);
    };
}

LadderCheck check_by_portable_form() {
    LadderCheck check{{},
                      kVerifiedRange,
                      {},
                      "the portable form's hits",
                      "Gain: the rate over that of the step before it; in all: over the naive loop.\n"};
    check.target.bytes.fill(0xff);
    store_be32(check.target.bytes, 0, kEasyTop);
    for (std::uint64_t i = 0; i < kVerifiedRange.count; ++i) {
        const auto nonce = static_cast<std::uint32_t>(kVerifiedRange.first + i);
        const Digest hash = vh::hash_header(vh::example_header().with_nonce(nonce));
        if (display_order(hash) <= check.target) check.expected.push_back(nonce);
    }
    return check;
}

}  // namespace

Rows prepare_verus_ladder(const Setting& setting) {
    const vh::FastForm* const form = vh::usable_fast_form();
    if (form == nullptr) {
        setting.note("ladder is not measured: " + std::string(vh::why_no_fast_form()));
        return {};
    }
    using PerNonce = OneByOne::PerNonce;
    return ladder_rows(setting,
                       {{"naive", "header, key and hash, all of it", "", 1, one_by_one(*form, PerNonce::kEverything)},
                        {"header once", "pre-header hash and the first 1,472 bytes once per job", "naive", 1,
                         one_by_one(*form, PerNonce::kKey)},
                        {"key once", "the key made once per job, and copied", "header once", 1,
                         one_by_one(*form, PerNonce::kKeyCopied)},
                        {"key restored", "64 vectors of the key copied in place of 552", "key once", 1,
                         one_by_one(*form, PerNonce::kNothing)},
                        {"interleaved", form->description, "key restored", 1, interleaved(*form)}},
                       check_by_portable_form());
}

}  // namespace gpuminer::bench
