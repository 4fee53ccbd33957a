#include "cpu/form_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <sstream>
#include <string>

#include "cpu/machine/cpu_model.hpp"
#include "gpuminer_build_info.hpp"
#include "host/files/cache.hpp"
#include "host/threads.hpp"

namespace gpuminer::cpu {
namespace {

constexpr const char* kCacheKind = "cpu-forms";
/// With one version, and with several that share what depends on the nonce alone.
constexpr std::array<std::size_t, 2> kVersionCounts = {1, 8};

/// The best times of a form so far.
struct BestTimes {
    const Isa* form;
    std::array<double, kVersionCounts.size()> seconds = {};
    unsigned rounds = 0;
    unsigned unchanged = 0;  ///< rounds since one of them became clearly shorter

    [[nodiscard]] double sum() const { return seconds[0] + seconds[1]; }
    /// Returns the seconds spent.
    double time_again(const Stopwatch& stopwatch);
};

double BestTimes::time_again(const Stopwatch& stopwatch) {
    constexpr double kClearly = 0.99;
    double spent = 0;
    bool shorter = false;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        const double taken = stopwatch(*form, kVersionCounts[i]);
        spent += taken;
        shorter |= rounds == 0 || taken < kClearly * seconds[i];
        seconds[i] = rounds == 0 ? taken : std::min(seconds[i], taken);
    }
    ++rounds;
    unchanged = shorter ? 0 : unchanged + 1;
    return spent;
}

/// Whether `form` could be the fastest of all, or of its ISA's several forms: so few times may all be wrong ones.
bool could_win(const BestTimes& form, const std::vector<BestTimes>& all) {
    if (form.rounds < 8) return true;
    const double far_behind = form.rounds < 12 ? 8 : 1.5;
    double of_all = std::numeric_limits<double>::infinity(), of_isa = 0;
    for (const BestTimes& other : all) {
        of_all = std::min(of_all, other.sum());
        if (&other != &form && std::string_view(other.form->name) == form.form->name) of_isa = other.sum();
    }
    return form.sum() < far_behind * of_all || (of_isa < far_behind * form.sum() && form.sum() < far_behind * of_isa);
}

double timed_scan(const Isa& form, std::size_t versions) {
    constexpr std::array<std::uint32_t, 8> kVersions = {1, 2, 3, 4, 5, 6, 7, 8};
    const Sha256dJob job(std::array<std::uint8_t, 80>{}, std::span(kVersions).first(versions), 0);
    std::array<Candidate, 1> none;
    const auto start = std::chrono::steady_clock::now();
    scan(form, job, {0, kTimedHashes / versions}, none);
    return seconds_since(start);
}

/// Whatever the rates depend on.
std::string cache_key(std::span<const Isa* const> forms) {
    std::string key = std::string("gpuminer ") + kVersion + " " + kCommit + " | " + kCompiler + " " + kBuildFlags +
                      " | " + cpu_model();
    for (const Isa* const form : forms) key += std::string(" | ") + form->name + ": " + form->description;
    return key;
}

/// A number for each form, in their order; nothing where the file does not have that.
std::optional<std::vector<FormRate>> remembered_rates(std::span<const Isa* const> forms) {
    const auto text = read_cache(kCacheKind, cache_key(forms));
    if (!text) return std::nullopt;
    std::istringstream numbers(*text);
    std::vector<FormRate> rates;
    for (double rate = 0; rates.size() < forms.size() && numbers >> rate && rate > 0;)
        rates.push_back({forms[rates.size()], rate});
    if (rates.size() != forms.size()) return std::nullopt;
    return rates;
}

void remember(std::span<const Isa* const> forms, const std::vector<FormRate>& rates) {
    std::ostringstream numbers;
    for (const FormRate& rate : rates) numbers << rate.rate << '\n';
    write_cache(kCacheKind, cache_key(forms), numbers.str());
}

double rate_of(const Isa& form, const std::vector<FormRate>& rates) {
    const auto found = std::ranges::find(rates, &form, &FormRate::form);
    return found == rates.end() ? 0 : found->rate;
}

}  // namespace

std::vector<FormRate> time_forms(std::span<const Isa* const> forms, const Stopwatch& stopwatch) {
    constexpr unsigned kFewestRounds = 6;
    constexpr unsigned kStable = 10;         // rounds without a shorter time
    constexpr double kLongestSeconds = 0.2;  // of searching, after the fewest rounds
    std::vector<BestTimes> times;
    for (const Isa* const form : forms) times.push_back({form});
    double spent = 0;
    bool stable = false;
    for (unsigned round = 1; round <= kFewestRounds || (!stable && spent < kLongestSeconds); ++round) {
        stable = true;
        for (BestTimes& form : times) {
            if (!could_win(form, times)) continue;
            spent += form.time_again(stopwatch);
            stable &= form.unchanged >= kStable;
        }
    }
    std::vector<FormRate> rates;
    for (const BestTimes& form : times)
        rates.push_back({form.form, kVersionCounts.size() * kTimedHashes / std::max(form.sum(), 1e-9)});
    return rates;
}

std::optional<std::vector<FormRate>> form_rates(FormChoice how, bool again) {
    const std::vector<const Isa*> forms = usable_forms("auto", detect_features());
    auto rates = again ? std::nullopt : remembered_rates(forms);
    if (rates || how == FormChoice::kUntimed) return rates;
    rates = time_forms(forms, timed_scan);
    remember(forms, *rates);
    return rates;
}

const Isa& fastest_of(std::span<const Isa* const> forms, const std::optional<std::vector<FormRate>>& rates) {
    if (!rates) return **std::ranges::find(forms, std::string_view(forms.back()->name), &Isa::name);
    return **std::ranges::max_element(forms, {}, [&](const Isa* form) { return rate_of(*form, *rates); });
}

const Isa& fastest_form(std::string_view isa) {
    const std::vector<const Isa*> forms = usable_forms(isa, detect_features());
    if (forms.empty()) return *find_isa(isa);
    return fastest_of(forms, forms.size() == 1 ? std::nullopt : form_rates(FormChoice::kTimed));
}

void remember_faster(const Isa& form, const Isa& other, double ratio) {
    const std::vector<const Isa*> forms = usable_forms("auto", detect_features());
    auto rates = remembered_rates(forms);
    if (!rates) return;
    const double rate = rate_of(other, *rates) * ratio;
    for (FormRate& known : *rates) {
        if (known.form == &form) known.rate = rate;
    }
    remember(forms, *rates);
}

}  // namespace gpuminer::cpu
