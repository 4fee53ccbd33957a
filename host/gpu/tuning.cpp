#include "host/gpu/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "gpuminer_build_info.hpp"
#include "host/block/header.hpp"
#include "host/files/cache.hpp"
#include "host/threads.hpp"

namespace gpuminer::gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kKind = "tuning";
constexpr std::array kFormNames = {"fixed", "rolled"};

std::string key_of(const DeviceInfo& info) {
    return fmt::format("gpuminer {} {} | {} | {} | {} units | {}{}", kVersion, kCommit, info.backend, info.model,
                       info.units, info.driver, info.code.empty() ? "" : " | " + info.code);
}

/// A job in which next to nothing is a candidate.
Sha256dJob timing_job(bool rolled) {
    std::vector<std::uint32_t> versions{0x20000000};
    for (std::uint32_t i = 1; rolled && i < 8; ++i) versions.push_back(0x20000000 + (i << 13));
    return Sha256dJob(BlockHeader{}.bytes, versions, 0);
}

/// Keeps the device busy until its clocks are up: an idle GPU takes a while to leave its power-saving state.
void warm_up(Engine& engine, const KernelVariant& variant) {
    constexpr double kSeconds = 0.2;
    Candidates found;
    const auto start = Clock::now();
    while (seconds_since(start) < kSeconds) engine.scan(variant, timing_job(false), {0, 1 << 18}, found);
}

/// Hashes per second: the size grows until a scan takes 10 ms, then the best of three counts.
double measure(Engine& engine, const KernelVariant& variant, bool rolled) {
    constexpr double kLongEnough = 0.01;
    constexpr int kRepetitions = 3;
    const Sha256dJob job = timing_job(rolled);
    Candidates found;
    const auto time = [&](std::uint64_t nonces) {
        const auto start = Clock::now();
        engine.scan(variant, job, {0, nonces}, found);
        return std::max(seconds_since(start), 1e-9);
    };
    std::uint64_t nonces = 1 << 14;
    double seconds = time(nonces);
    while (seconds < kLongEnough && nonces < kLargestLaunch) {
        nonces = std::min(nonces * 4, kLargestLaunch);
        seconds = time(nonces);
    }
    for (int i = 1; i < kRepetitions; ++i) seconds = std::min(seconds, time(nonces));
    return static_cast<double>(nonces * job.versions().size()) / seconds;
}

/// The i-th variant of each form; where one list is shorter, its last variant.
std::array<KernelVariant, 2> pair_of(const Engine& engine, std::size_t i) {
    std::array<KernelVariant, 2> pair;
    for (const bool rolled : kFixedAndRolled) {
        const std::vector<KernelVariant> variants = engine.variants(rolled);
        pair[rolled] = variants[std::min(i, variants.size() - 1)];
    }
    return pair;
}

/// Times a pair that passes the self-test. Throws DeviceError.
void try_pair(Engine& engine, std::size_t i, TunedVariants& best, const TuningHelp& help) {
    const std::array<KernelVariant, 2> pair = pair_of(engine, i);
    try {
        for (const bool rolled : kFixedAndRolled) engine.prepare(pair[rolled], rolled);
        if (const auto reason = help.self_test(pair[0], pair[1])) throw DeviceError(*reason);
        if (best[0].rate <= 0) warm_up(engine, pair[0]);
        for (const bool rolled : kFixedAndRolled) {
            if (i >= engine.variants(rolled).size() && best[rolled].rate > 0) continue;
            const double rate = measure(engine, pair[rolled], rolled);
            if (rate > best[rolled].rate) best[rolled] = {pair[rolled], rate};
        }
    } catch (const DeviceError& error) {
        throw DeviceError(fmt::format("{} / {}: {}", to_string(pair[0]), to_string(pair[1]), error.what()));
    }
}

}  // namespace

std::optional<Tuning> remembered_tuning(const DeviceInfo& info) {
    const auto text = read_cache(kKind, key_of(info));
    if (!text) return std::nullopt;
    try {
        const auto json = nlohmann::json::parse(*text);
        Tuning tuning{.tried = json.at("tried").get<std::size_t>(), .complete = json.at("complete").get<bool>()};
        for (const bool rolled : kFixedAndRolled) {
            const auto& form = json.at(kFormNames[rolled]);
            const auto variant = parse_variant(form.at("setup").get<std::string>());
            if (!variant) return std::nullopt;
            tuning.best[rolled] = {*variant, form.at("rate").get<double>()};
        }
        return tuning;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;  // damaged: tune again
    }
}

void remember(const DeviceInfo& info, const Tuning& tuning) {
    nlohmann::ordered_json json;
    for (const bool rolled : kFixedAndRolled) {
        const TunedVariant& choice = tuning.best[rolled];
        json[kFormNames[rolled]] = {{"setup", to_string(choice.variant)}, {"rate", choice.rate}};
    }
    json["tried"] = tuning.tried;
    json["complete"] = tuning.complete;
    write_cache(kKind, key_of(info), json.dump(2) + "\n");
}

Tuning tune(Engine& engine, Tuning tuning, double seconds, const TuningHelp& help) {
    const std::size_t pairs = std::max(engine.variants(false).size(), engine.variants(true).size());
    const auto start = Clock::now();
    std::string problem;
    while (tuning.tried < pairs && (tuning.best[0].rate <= 0 || seconds_since(start) <= seconds)) {
        try {
            try_pair(engine, tuning.tried, tuning.best, help);
        } catch (const DeviceError& error) {
            problem = error.what();
        }
        ++tuning.tried;
        tuning.complete = tuning.tried == pairs;
        if (tuning.best[0].rate > 0) help.keep(tuning);
    }
    if (tuning.best[0].rate <= 0) throw DeviceError("no variant of the kernel works on it (" + problem + ")");
    tuning.complete = true;  // the time is up
    help.keep(tuning);
    return tuning;
}

double remembered_rate(const DeviceInfo& info) {
    const auto tuning = remembered_tuning(info);
    return tuning && tuning->complete ? tuning->best[0].rate : 0;
}

}  // namespace gpuminer::gpu
