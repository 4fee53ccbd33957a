// The choice among the forms of the search: timed at the first start on a machine, remembered, and compared again on
// the work itself while it runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cpu/isa.hpp"
#include "host/backend.h"

namespace gpuminer::cpu {

/// A form and how fast it is here: hashes per second on one thread, with one version and with eight in equal parts.
struct FormRate {
    const Isa* form;
    double rate;
};

/// Seconds that a form takes for a small search (kTimedHashes) in so many versions.
using Stopwatch = std::function<double(const Isa& form, std::size_t versions)>;
inline constexpr std::size_t kTimedHashes = 2048;

/// The rates of `forms`, timed in turns until no contender has improved for several rounds, or 0.2 s have passed. (On a
/// busy machine most samples are outliers, sometimes all of one form's.)
[[nodiscard]] std::vector<FormRate> time_forms(std::span<const Isa* const> forms, const Stopwatch& stopwatch);

/// The rates of all forms that this CPU can run: those remembered from an earlier run of this program on it, or else
/// timed now and remembered. With `again`, timed whatever is remembered; nothing is timed for kUntimed, which may leave
/// nothing to return.
[[nodiscard]] std::optional<std::vector<FormRate>> form_rates(FormChoice how, bool again = false);

/// The fastest of `forms`, which must not be empty and are in the order of isa_forms(); without rates the first of
/// the last ISA's, which usually is.
[[nodiscard]] const Isa& fastest_of(std::span<const Isa* const> forms,
                                    const std::optional<std::vector<FormRate>>& rates);

/// An ISA of the list in its fastest form here, timed if it has to be; in its first form where this CPU cannot run it.
[[nodiscard]] const Isa& fastest_form(std::string_view isa);

/// What was found while mining: `form` is `ratio` times as fast as `other`. For the next start.
void remember_faster(const Isa& form, const Isa& other, double ratio);

}  // namespace gpuminer::cpu
