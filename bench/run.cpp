// Execution of workloads.
#include "bench/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "bench/document/shareable.hpp"
#include "bench/machine.hpp"
#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/ranks.hpp"
#include "host/block/algorithm.hpp"
#include "host/errors.hpp"
#include "host/text/document.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"
#include "host/threads.hpp"

namespace gpuminer::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<const Workload*> chosen_workloads(const std::vector<std::string>& names, const Algorithm& algorithm) {
    std::vector<const Workload*> chosen;
    const auto choose = [&](const Workload& workload) {
        if (std::ranges::find(chosen, &workload) == chosen.end()) chosen.push_back(&workload);
    };
    for (const std::string& name : names) {
        bool known = false;
        for (const Workload& workload : workloads()) {
            if (name != workload.name && (name != kAllWorkloads || !workload.part_of_all)) continue;
            if (workload.algorithm != nullptr && workload.algorithm != &algorithm) continue;
            choose(workload);
            known = true;
        }
        if (known) continue;
        if (is_workload(name)) throw InputError(fmt::format("there is no workload {} for {}", name, algorithm.name));
        std::vector<std::string> known_names = workload_names();
        known_names.insert(known_names.begin(), kAllWorkloads);
        throw InputError(fmt::format("expected a workload ({}), got {}{}", fmt::join(known_names, ", "),
                                     quoted_text(name), did_you_mean(name, known_names)));
    }
    return chosen;
}

/// How many rounds, and how long each.
struct Plan {
    unsigned rounds;
    double round_seconds;
};

/// `share`: seconds of the budget that the workload has for all its rows; empty: there is none.
Plan plan_of(const Workload& workload, const Options& options, std::optional<double> share, std::size_t rows) {
    Plan plan{options.rounds.value_or(workload.rounds), workload.round_seconds};
    if (share) {  // as many rounds as it takes, of which the first few are sure to fit
        constexpr unsigned kMost = 1000;
        constexpr double kSure = 5;  // with the warm-up, and as much again for what is off the clock
        plan.round_seconds = std::min(plan.round_seconds, *share / (2 * kSure * static_cast<double>(rows)));
        return {options.rounds.value_or(kMost), plan.round_seconds};
    }
    if (!options.seconds) return plan;
    if (!options.rounds) {                     // the workload's own length of a round, as often as it fits
        constexpr double kMostImplied = 1000;  // longer rounds rather than a document of millions of them
        const double fitting = std::floor(*options.seconds / plan.round_seconds);
        plan.rounds = static_cast<unsigned>(std::clamp(fitting, 1.0, kMostImplied));
    }
    plan.round_seconds = *options.seconds / plan.rounds;
    return plan;
}

class Runner {
public:
    Runner(const Options& options, Backends backends, const std::stop_token& stop, const RunActions& actions)
        : options_(options),
          stop_(stop),
          actions_(actions),
          workloads_(chosen_workloads(options.workloads, *options.devices.algorithm)),
          devices_(backends, options.devices, [this](const std::string& sentence) { warn(sentence); }),
          setting_{options, stop, devices_, [this](const std::string& sentence) { note(sentence); },
                   [this](double share) { announce(turn_.done + share * turn_.share, turn_.what); }} {
        document_.program = program_facts();
        document_.machine = machine_facts();
        document_.algorithm = options.devices.algorithm->name;
        document_.label = options.label;
        document_.command = options.command;
        note_others();
        document_.time = utc_now().data();
    }

    Document run() {
        try {
            for (; done_ < workloads_.size(); ++done_) carry_out(*workloads_[done_]);
        } catch (const Interrupted&) {
            document_.ending = "interrupted";
        } catch (const VerificationError& error) {
            document_.failures.emplace_back(error.what());
            document_.ending = "failed";
        } catch (const std::exception& error) {
            if (!anything_measured()) throw;  // else that would be lost, which was right
            warn(fmt::format("the run could not go on: {}", error.what()));
            document_.ending = "failed";
        }
        document_.seconds = seconds_since(start_);
        if (options_.ranks != nullptr) document_.devices = options_.ranks->devices();
        if (devices_.opened()) {
            for (const auto& device : devices_.all()) document_.devices.push_back(device_facts(device->info()));
        }
        make_shareable(document_);
        return std::move(document_);
    }

private:
    [[nodiscard]] bool anything_measured() const {
        return std::ranges::any_of(document_.measurements, [](const Measurement& m) { return !m.rounds.empty(); });
    }

    void note_others() {
        constexpr double kBusy = 0.25;  // of all hardware threads
        const Json &busy = document_.machine["busy_threads"], &threads = document_.machine["hardware_threads"];
        if (busy.is_null() || busy.get<double>() < kBusy * threads.get<double>()) return;
        document_.warnings.push_back(
            fmt::format("other programs used {:.1f} of {} hardware threads: rates may be far too low",
                        busy.get<double>(), threads.get<long>()));
        actions_.warning(document_.warnings.back());
    }

    void note(const std::string& sentence) {
        document_.notes.push_back(sentence);
        actions_.note(sentence);
    }

    void warn(const std::string& sentence) {
        document_.notes.push_back(sentence);
        actions_.warning(sentence);
    }

    void carry_out(const Workload& workload) {
        announce(0, workload.name);
        Rows rows = workload.prepare(setting_);
        if (!rows.job.is_null()) document_.job[workload.name] = std::move(rows.job);
        std::vector<Measurement> measurements;
        for (const Row& row : rows.rows) {
            measurements.push_back({workload.name, row.name, row.unit, row.better, {}, Json::object()});
            for (const Row::Part& part : row.parts)
                measurements.push_back({workload.name, part.name, row.unit, row.better, {}, Json::object()});
        }
        try {
            take_rounds(workload, rows.rows, measurements);
        } catch (...) {
            keep(workload, rows, std::move(measurements));
            throw;
        }
        keep(workload, rows, std::move(measurements));
    }

    /// Order A B C, C B A, A B C: a steady drift affects all rows equally.
    void take_rounds(const Workload& workload, const std::vector<Row>& rows, std::vector<Measurement>& measurements) {
        constexpr unsigned kFewestRounds = 3;
        const double began = seconds_since(start_);
        const std::optional<double> share = share_of_budget(began);
        const Plan plan = plan_of(workload, options_, share, rows.size());
        const unsigned first = workload.warm_up ? 0 : 1;
        for (unsigned round = first; round <= plan.rounds; ++round) {
            if (share && round > kFewestRounds && seconds_since(start_) > began + *share) break;
            for (std::size_t turn = 0; turn < rows.size(); ++turn) {
                const std::size_t i = round % 2 == 0 ? rows.size() - 1 - turn : turn;
                if (stop_.stop_requested()) throw Interrupted{};
                const double turns = static_cast<double>(rows.size()) * (plan.rounds - first + 1);
                const double turns_done =
                    static_cast<double>(rows.size()) * (round - first) + static_cast<double>(turn);
                turn_ = {turns_done / turns, 1 / turns, fmt::format("{}: {}", workload.name, rows[i].name)};
                if (share) turn_ = {std::min((seconds_since(start_) - began) / *share, 1.0), 0, turn_.what};
                announce(turn_.done, turn_.what);
                const double at = seconds_since(start_);
                const double value = rows[i].measure(plan.round_seconds);
                if (round > 0) add_round(rows, i, {at, value}, measurements);
            }
        }
    }

    /// Rows and measurements have the same order, but that a row's parts follow it.
    static std::size_t measurement_of(const std::vector<Row>& rows, std::size_t row) {
        std::size_t measurement = row;
        for (std::size_t i = 0; i < row; ++i) measurement += rows[i].parts.size();
        return measurement;
    }

    static void add_round(const std::vector<Row>& rows, std::size_t row, const Round& round,
                          std::vector<Measurement>& measurements) {
        std::size_t next = measurement_of(rows, row);
        measurements[next++].rounds.push_back(round);
        for (const Row::Part& part : rows[row].parts) measurements[next++].rounds.push_back({round.at, part.value()});
    }

    /// What is left of the budget, in equal parts for the workloads that are still to come.
    [[nodiscard]] std::optional<double> share_of_budget(double now) const {
        if (!options_.budget) return std::nullopt;
        constexpr double kLeast = 0.1;
        return std::max(*options_.budget - now, kLeast) / static_cast<double>(workloads_.size() - done_);
    }

    void keep(const Workload& workload, const Rows& rows, std::vector<Measurement> measurements) {
        for (std::size_t i = 0; i < rows.rows.size(); ++i) {
            std::size_t next = measurement_of(rows.rows, i);
            if (measurements[next].rounds.empty()) continue;
            if (rows.rows[i].details) measurements[next].details = rows.rows[i].details();
            for (const Row::Part& part : rows.rows[i].parts) {
                ++next;
                if (part.details) measurements[next].details = part.details();
            }
        }
        const bool complete = std::ranges::none_of(measurements, [](const Measurement& m) { return m.rounds.empty(); });
        actions_.finished(workload, measurements, rows.text && complete ? rows.text(options_.columns) : "");
        std::ranges::move(measurements, std::back_inserter(document_.measurements));
    }

    void announce(double share_of_workload, const std::string& what) {
        actions_.progress((static_cast<double>(done_) + share_of_workload) / static_cast<double>(workloads_.size()),
                          what);
    }

    const Options& options_;
    const std::stop_token stop_;
    const RunActions& actions_;
    const Clock::time_point start_ = Clock::now();
    const std::vector<const Workload*> workloads_;
    Document document_;
    OpenDevices devices_;
    const Setting setting_;
    std::size_t done_ = 0;  ///< workloads
    /// What is measured now. Threads that report its progress start after it is set and end before it changes.
    struct Turn {
        double done = 0;   ///< of the workload, before it
        double share = 1;  ///< of the workload
        std::string what;
    };
    Turn turn_;
};

}  // namespace

void require_workloads(const std::vector<std::string>& names, const Algorithm& algorithm) {
    (void)chosen_workloads(names, algorithm);
}

Document run(const Options& options, Backends backends, const std::stop_token& stop, const RunActions& actions) {
    return Runner(options, backends, stop, actions).run();
}

}  // namespace gpuminer::bench
