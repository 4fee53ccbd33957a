#include "mpi/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/workloads/ranks.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/logging.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "mpi/agreement.hpp"
#include "mpi/bench_part.hpp"
#include "mpi/messages.hpp"

namespace gpuminer::mpi {
namespace {

using bench::Json;

constexpr const char* kScan = "scan";
constexpr std::chrono::microseconds kPause{200};  // between two looks for messages

// Messages. To other ranks: {"measure": rolled, "seconds": …}, {"details": rolled}, {"stop": true}, {"end": true}. From
// them: a RoundResult, with {"signal": …} beside where one has come; or details.

void require_scan(const Options& options) {
    for (const std::string& workload : options.operands) {
        if (workload == kScan) continue;
        throw InputError(
            fmt::format("gpuminer-mpi bench: expected the workload scan, got {}; for the others, which measure one "
                        "machine, use gpuminer",
                        quoted_text(workload)));
    }
    if (options.bench.submission_file)
        throw InputError("gpuminer-mpi bench has no --submit, which describes devices measured alone; gpuminer has");
}

class BenchLeader final : public bench::Ranks {
public:
    BenchLeader(Communicator& communicator, BenchPart& part) : communicator_(communicator), part_(part) {}
    ~BenchLeader() override {
        if (begun_) tell_all({{"end", true}});
    }
    BenchLeader(const BenchLeader&) = delete;
    BenchLeader& operator=(const BenchLeader&) = delete;

    /// Collective, once all can begin. Throws NoDeviceError where no rank has a device.
    void begin() {
        begun_ = true;
        const std::vector<std::string> facts = communicator_.gather(ordered_to_cbor(part_.facts()));
        std::string reason;
        for (std::size_t rank = 0; rank < facts.size(); ++rank) add_rank(rank, Json::from_cbor(facts[rank]), reason);
        if (names_.empty()) throw NoDeviceError(reason);
    }

    [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
    [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
    [[nodiscard]] Json devices() const override { return devices_; }

    [[nodiscard]] std::vector<double> measure(bool rolled, double seconds, const std::stop_token& stop) override {
        stop_ = stop;
        tell_all({{"measure", rolled}, {"seconds", seconds}});
        if (!communicator_.wait_for_all([&] { return waits_in_vain(); })) throw bench::Interrupted{};
        part_.begin_round(rolled, seconds);
        const std::vector<Json> results = results_of_round();
        require_values(results);
        std::vector<double> values;
        for (const std::size_t rank : measured_) values.push_back(results[rank]["value"]);
        return values;
    }

    [[nodiscard]] std::vector<Json> details(bool rolled) override {
        tell_all({{"details", rolled}});
        std::vector<Json> all(size(), Json::object());
        all[0] = part_.details(rolled);
        for (std::size_t missing = size() - 1; missing > 0;) {
            auto message = communicator_.poll();
            if (!message) {
                if (waits_in_vain()) break;
                std::this_thread::sleep_for(kPause);
                continue;
            }
            all[static_cast<std::size_t>(message->from)] = Json::from_cbor(message->bytes);
            --missing;
        }
        std::vector<Json> of_measured;
        for (const std::size_t rank : measured_) of_measured.push_back(std::move(all[rank]));
        return of_measured;
    }

    /// Of another rank that was interrupted; 0: none was.
    [[nodiscard]] int stop_signal() const { return stop_signal_; }

private:
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(communicator_.size()); }

    void tell_all(const Json& json) {
        for (int rank = 1; rank < communicator_.size(); ++rank) communicator_.send(rank, ordered_to_cbor(json));
    }

    void add_rank(std::size_t rank, const Json& facts, std::string& reason) {
        const std::string name = fmt::format("rank {}", rank);
        for (const Json& note : facts["notes"]) notes_.push_back(name + ": " + note.get<std::string>());
        if (const auto why = facts["no_device"].get<std::string>(); !why.empty()) {
            notes_.push_back(fmt::format("{} is not measured: {}", name, why));
            reason = why;
            return;
        }
        measured_.push_back(rank);
        names_.push_back(name);
        for (Json device : facts["devices"]) {
            device["rank"] = rank;
            devices_.push_back(std::move(device));
        }
    }

    /// Whether a rank has not answered for long after all were to stop: it stands still.
    [[nodiscard]] bool waits_in_vain() {
        const auto now = std::chrono::steady_clock::now();
        if (stop_.stop_requested() && !stopped_) stopped_ = now;
        if (!stopped_ || now < *stopped_ + Communicator::kPatience) return false;
        if (!std::exchange(in_vain_, true))
            log_error(fmt::format("a rank did not respond for {} s: the job ends", Communicator::kPatience.count()));
        communicator_.give_up_on_others();
        return true;
    }

    /// By rank. As soon as one is no value the others' rounds are interrupted.
    std::vector<Json> results_of_round() {
        std::vector<Json> results(size());
        bool told = false;
        for (std::size_t missing = size(); missing > 0;) {
            bool stops = stop_.stop_requested();
            const auto take = [&](std::size_t rank, Json result) {
                stops = stops || !result.contains("value");
                results[rank] = std::move(result);
                --missing;
            };
            while (auto message = communicator_.poll())
                take(static_cast<std::size_t>(message->from), Json::from_cbor(message->bytes));
            if (results[0].is_null()) {
                if (auto own = part_.end_of_round()) take(0, std::move(*own));
            }
            if (stops && !std::exchange(told, true)) {
                part_.stop();
                tell_all({{"stop", true}});
                stopped_ = std::chrono::steady_clock::now();
            }
            if (waits_in_vain()) throw bench::Interrupted{};
            std::this_thread::sleep_for(kPause);
        }
        return results;
    }

    /// What a rank found wrong says more than that others were interrupted for it.
    void require_values(const std::vector<Json>& results) {
        for (std::size_t rank = 0; rank < results.size(); ++rank) {
            const Json& result = results[rank];
            const auto sentence = [&](const char* key) {
                return fmt::format("rank {}: {}", rank, result[key].get<std::string>());
            };
            if (result.contains("wrong")) throw bench::VerificationError(sentence("wrong"));
            if (result.contains("failed")) throw std::runtime_error(sentence("failed"));
        }
        for (const Json& result : results) {
            if (stop_signal_ == 0) stop_signal_ = result.value("signal", 0);
        }
        const auto has_value = [](const Json& result) { return result.contains("value"); };
        if (!std::ranges::all_of(results, has_value)) throw bench::Interrupted{};
    }

    Communicator& communicator_;
    BenchPart& part_;
    bool begun_ = false;
    std::vector<std::size_t> measured_;  ///< ranks that have devices
    std::vector<std::string> names_, notes_;
    Json devices_ = Json::array();
    std::stop_token stop_;                                          ///< of the measurement
    std::optional<std::chrono::steady_clock::time_point> stopped_;  ///< the measurement, when it was
    bool in_vain_ = false;                                          ///< that has been said
    int stop_signal_ = 0;
};

/// Until rank 0 says that it is over.
void follow(Communicator& communicator, BenchPart& part, const SignalThread& signals) {
    bool measuring = false;
    for (;;) {
        while (const auto message = communicator.poll()) {
            const Json json = Json::from_cbor(message->bytes);
            if (json.contains("end")) return;
            if (json.contains("stop")) part.stop();
            if (json.contains("details")) communicator.send(0, ordered_to_cbor(part.details(json["details"])));
            if (!json.contains("measure")) continue;
            (void)communicator.wait_for_all();
            part.begin_round(json["measure"], json["seconds"]);
            measuring = true;
        }
        if (measuring) {
            if (auto result = part.end_of_round()) {
                if (const int signal = signals.stop_signal(); signal != 0) (*result)["signal"] = signal;
                communicator.send(0, ordered_to_cbor(*result));
                measuring = false;
            }
        }
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace

int lead_bench(Communicator& communicator, const Options& options, SignalThread& signals,
               const std::function<void()>& begin) {
    require_scan(options);
    std::unique_ptr<BenchPart> part;
    std::unique_ptr<BenchLeader> leader;
    const int code = run_bench(options, signals, [&]() -> bench::Ranks& {
        part = std::make_unique<BenchPart>(communicator, options);
        (void)begin_together(communicator, options, begin, kScan);
        leader = std::make_unique<BenchLeader>(communicator, *part);
        leader->begin();
        return *leader;
    });
    return code == kStoppedBySignal ? code + leader->stop_signal() : code;
}

void follow_bench(Communicator& communicator, const Options& options, SignalThread& signals,
                  const std::function<void()>& begin) {
    require_scan(options);
    signals.expect_session();
    BenchPart part(communicator, options);
    if (begin_together(communicator, options, begin, "").empty()) return;
    or_end_the_job(communicator, [&]() -> int {
        const SignalThread::Session session(
            signals, {.stop = [&part] { part.stop(); }, .statistics = {}, .pause_or_resume = {}});
        (void)communicator.gather(ordered_to_cbor(part.facts()));
        follow(communicator, part, signals);
        return kSuccess;
    });
}

}  // namespace gpuminer::mpi
