// The workload `ladder`: the gain of each removal of per-nonce work, from the naive loop to the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "bench/workloads/cpu_workloads.hpp"
#include "bench/workloads/ladder_steps.hpp"
#include "bench/workloads/test_block.hpp"
#include "bench/workloads/timed_work.hpp"
#include "cpu/form_choice.hpp"

namespace gpuminer::bench {
namespace {

constexpr unsigned kRolledVersions = 8;
const Hash256 kNothingMeets{};

auto search_with(Step step) {
    return [step, header = block_100000()](const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
        step(header, target, range, hits);
    };
}

auto search_with(const cpu::Isa& isa, unsigned versions) {
    // One job for each target, as a search has it: the host's share is not the kernel's.
    const auto job_for = [versions](std::uint32_t top) {
        return std::make_shared<Sha256dJob>(block_100000().bytes, versions_of_block(versions), top);
    };
    return [&isa, nothing = job_for(0), sieve = job_for(kSievedTop)](const Hash256& target, NonceRange range,
                                                                     std::vector<std::uint32_t>& hits) {
        std::array<Candidate, 256> candidates;
        const Sha256dJob& job = target == kNothingMeets ? *nothing : *sieve;
        const std::size_t found = std::min(cpu::scan(isa, job, range, candidates).found, candidates.size());
        for (std::size_t i = 0; i < found; ++i) {
            if (candidates[i].version_index == 0) hits.push_back(candidates[i].nonce);
        }
    };
}

/// The steps that this CPU can run; the reference points, which are no steps, come last.
std::vector<Rung> make_rungs(const Setting& setting) {
    std::vector<Rung> rungs = {
        {"naive", "80 bytes put together and hashed from scratch", "", 1, search_with(naive)},
        {"midstate", "first 64 bytes hashed once per job", "naive", 1, search_with(midstate)},
        {"early rounds", "rounds 0 to 2 of block 2 once per job", "midstate", 1, search_with(early_rounds)},
        {"constant schedule", "padding words folded into constants", "early rounds", 1, search_with(constant_schedule)},
        {"early exit", "only the last word of the hash computed", "constant schedule", 1, search_with(early_exit)},
    };
    std::string last = rungs.back().name;
    const cpu::Features features = cpu::detect_features();
    const auto add = [&](std::string_view isa_name, const std::string& name, const std::string& remark,
                         unsigned versions) {
        const cpu::Isa& isa = cpu::fastest_form(isa_name);
        if (!cpu::usable(isa, features)) {
            setting.note(fmt::format("ladder: {} is not measured: {}", name, isa.missing));
            return;
        }
        rungs.push_back({name, remark, last, versions, search_with(isa, versions)});
        last = name;
    };
    add("scalar", "generated", "the generated program: sums regrouped, 26 job words", 1);
    const std::string generated = last;
    std::string_view widest = "scalar";
    for (const cpu::IsaFacts& isa : cpu::isa_facts()) {
        if (isa.lanes == 1 || cpu::uses_sha_unit(isa.vocabulary)) continue;
        const bool three_operands = isa.vocabulary == cpu::Vocabulary::kThreeOperands;
        add(isa.name, isa.title,
            fmt::format("{} nonces per vector{}", isa.lanes, three_operands ? ", rotations, 3-input logic" : ""), 1);
        if (cpu::usable(*cpu::find_isa(isa.name), features)) widest = isa.name;
    }
    add(widest, "version rolling", "8 versions share a nonce's message schedule", kRolledVersions);
    for (const cpu::IsaFacts& isa : cpu::isa_facts()) {
        if (!cpu::uses_sha_unit(isa.vocabulary)) continue;
        last = generated;
        add(isa.name, fmt::format("{} (beside)", isa.title),
            isa.lanes == 1 ? "instructions for rounds" : "the same, schedules in vectors", 1);
    }
    const LibraryStep library = library_step();
    rungs.push_back({library.name, library.remark, "naive", 1, search_with(library.step)});
    return rungs;
}

void verify(const Rung& rung, const LadderCheck& check) {
    std::vector<std::uint32_t> hits;
    rung.search(check.target, check.range, hits);
    std::sort(hits.begin(), hits.end());
    if (hits != check.expected) {
        throw VerificationError(fmt::format("ladder: the step \"{}\" does not find exactly {}", rung.name, check.hits));
    }
}

struct MeasuredRung {
    Rung rung;
    TimedWork work;
    Figure rate = {};
};

/// All steps: a gain is computed from the rounds of two.
class Ladder {
public:
    Ladder(std::vector<Rung> rungs, const std::stop_token& stop) {
        for (Rung& rung : rungs) {
            const auto scan = [search = rung.search](std::uint64_t nonces) {
                std::vector<std::uint32_t> none;
                search(kNothingMeets, {0, nonces}, none);
            };
            rungs_.push_back({std::move(rung), TimedWork(stop, 16, scan)});
        }
    }

    [[nodiscard]] std::size_t size() const { return rungs_.size(); }
    [[nodiscard]] const Rung& at(std::size_t i) const { return rungs_[i].rung; }

    /// Hashes per second.
    double measure(std::size_t i, double seconds) {
        MeasuredRung& measured = rungs_[i];
        measured.work.warm_up(seconds);
        const TimedWork::Timing timing = measured.work.time(seconds);
        const double rate = static_cast<double>(timing.units) * measured.rung.versions / timing.seconds;
        measured.rate.add(rate);
        return rate;
    }

    [[nodiscard]] Json details(std::size_t i) const {
        const Rung& rung = at(i);
        Json details = {{"remark", rung.remark},
                        {"versions", rung.versions},
                        {"gain", gain(i, rung.compared_to)},
                        {"gain_in_all", gain(i, at(0).name)}};
        if (!rung.compared_to.empty()) details["compared_to"] = rung.compared_to;
        return details;
    }

private:
    /// A step's rate over another's; null where one has no rounds.
    [[nodiscard]] Json gain(std::size_t i, const std::string& other) const {
        const auto base = std::find_if(rungs_.begin(), rungs_.end(),
                                       [&](const MeasuredRung& measured) { return measured.rung.name == other; });
        if (base == rungs_.end()) return nullptr;
        const auto above = rungs_[i].rate.median(), below = base->rate.median();
        return above && below ? Json(*above / *below) : Json(nullptr);
    }

    std::vector<MeasuredRung> rungs_;
};

constexpr const char* kLadderText =
    "Gain: the rate over that of the step before it (SHA-NI: over \"generated\", a library: over \"naive\"); in all: "
    "over\n"
    "the naive loop.\n";

}  // namespace

LadderCheck check_around_block_100000() {
    Hash256 target;
    target.bytes.fill(0xff);
    target.bytes[0] = kSievedTop >> 24;
    return {target, verified_range(), expected_nonces(), "OpenSSL's hits around block 100000", kLadderText};
}

Rows ladder_rows(const Setting& setting, std::vector<Rung> rungs, const LadderCheck& check) {
    for (const Rung& rung : rungs) verify(rung, check);
    const auto ladder = std::make_shared<Ladder>(std::move(rungs), setting.stop);
    Rows rows;
    for (std::size_t i = 0; i < ladder->size(); ++i) {
        rows.rows.push_back({ladder->at(i).name, "hashes/s", Better::kHigher,
                             [ladder, i](double seconds) { return ladder->measure(i, seconds); },
                             [ladder, i] { return ladder->details(i); }});
    }
    rows.text = [text = check.text](std::size_t) { return text; };
    return rows;
}

Rows prepare_ladder(const Setting& setting) { return ladder_rows(setting, make_rungs(setting)); }

}  // namespace gpuminer::bench
