#include "mpi/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options/option_table.hpp"
#include "cli/program.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "host/block/algorithm.hpp"
#include "host/errors.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::mpi {
namespace {

using Json = nlohmann::ordered_json;

using Clock = std::chrono::steady_clock;

[[noreturn]] void end_in_vain(Communicator& communicator, const std::string& after, int exit_code, bool json) {
    const auto seconds = Communicator::kPatience.count();
    report_error(fmt::format("a rank did not respond for {} s{}: the job ends", seconds, after), exit_code, json);
    (void)wait_for_log();
    communicator.abort(exit_code);
}

/// Called while this rank waits for others.
class Patience {
public:
    Patience(Communicator& communicator, const Options& options, const SignalThread& signals)
        : communicator_(communicator), options_(options), signals_(signals) {}

    void operator()(Clock::duration waited) {
        const auto now = Clock::now();
        const int signal = signals_.stop_signal();
        if (signal != 0 && !signalled_) signalled_ = now;
        if (signalled_ && now > *signalled_ + Communicator::kPatience)
            end_in_vain(communicator_, " after a signal", kStoppedBySignal + signal, false);
        // Others may have to wait while rank 0 reads standard input, which the limit does not count.
        if (!communicator_.is_first() || !options_.time_limit) return;
        if (std::chrono::duration<double>(waited - Communicator::kPatience).count() > *options_.time_limit)
            end_in_vain(communicator_, " after the limit", kUnfinished, options_.json);
    }

private:
    Communicator& communicator_;
    const Options& options_;
    const SignalThread& signals_;
    std::optional<Clock::time_point> signalled_;
};

[[noreturn]] void end_job(Communicator& communicator, const std::exception& error, int exit_code) {
    log_error(fmt::format("rank {}: {}", communicator.rank(), error.what()));
    (void)wait_for_log();
    communicator.abort(exit_code);
}

constexpr const char* kFailed = "failed";

std::string value_text(const Json& value) {
    return value.is_null() ? "nothing" : value.is_string() ? quoted_text(value.get<std::string>()) : value.dump();
}

/// As a sentence; empty: there is none.
std::string difference(std::size_t rank, const std::string& of_rank, const std::string& of_first) {
    const Json got = of_rank.empty() ? Json::object() : Json::parse(of_rank);
    const Json expected = of_first.empty() ? Json::object() : Json::parse(of_first);
    for (const Json* all : {&expected, &got}) {
        for (const auto& [name, _] : all->items()) {
            const Json here = got.value(name, Json()), there = expected.value(name, Json());
            if (here == there) continue;
            return fmt::format("rank {}: expected {} {} as on rank 0, got {}", rank, name, value_text(there),
                               value_text(here));
        }
    }
    return "";
}

}  // namespace

std::string asked_of(const Options& options) {
    const SearchRequest& request = options.request;
    const Json json{{"the command", row_of(options.command.value_or(Command::kMine))->name},
                    {"the header", options.header},
                    {"the workloads", options.operands},
                    {"--algorithm", options.devices.algorithm->name},
                    {"--target", options.target ? Json(options.target->hex()) : Json(nullptr)},
                    {"--start", request.start},
                    {"--end", request.end},
                    {"--roll-versions", hex8(request.version_mask)},
                    {"--all", request.goal == Goal::kAll},
                    {"--deterministic", request.goal == Goal::kLowest},
                    {"--max-results", request.max_results},
                    {"--partition", request.partition == PartitionMode::kStatic ? "static" : "dynamic"},
                    {"--checkpoint", or_null(options.checkpoint_file)},
                    {"--resume", or_null(options.resume_file)},
                    {"--time-limit", or_null(options.time_limit)},
                    {"--rounds", or_null(options.bench.rounds)},
                    {"--seconds", or_null(options.bench.seconds)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Agreement agree(Communicator& communicator, const Readiness& readiness) {
    const std::vector<std::string> all = communicator.gather(readiness.code != 0 ? kFailed : readiness.asked);
    Agreement agreement;
    std::string answer = "0";
    if (communicator.is_first()) {
        const bool failed = std::ranges::find(all, kFailed) != all.end();
        for (std::size_t rank = 1; !failed && rank < all.size() && agreement.difference.empty(); ++rank)
            agreement.difference = difference(rank, all[rank], readiness.asked);
        answer = readiness.code != 0 ? "2" : failed || !agreement.difference.empty() ? "1" : "0";
    }
    answer = communicator.broadcast(answer + readiness.start);
    agreement.first_failed = answer.front() == '2';
    agreement.failed = answer.front() != '0';
    if (!agreement.failed) agreement.start = answer.substr(1);
    return agreement;
}

std::string begin_together(Communicator& communicator, const Options& options, const std::function<void()>& begin,
                           const std::string& start) {
    begin();
    const Agreement agreement = agree(communicator, {.code = kSuccess, .asked = asked_of(options), .start = start});
    if (!agreement.difference.empty()) throw InputError(agreement.difference);
    // From now on rank 0 alone ends the job: others may have to wait while it writes its result.
    if (!communicator.is_first()) communicator.look_while_waiting({});
    if (agreement.failed && communicator.is_first())
        throw InputError("a rank cannot start; its message gives the reason");
    return agreement.start;
}

void do_not_wait_in_vain(Communicator& communicator, const Options& options, const SignalThread& signals) {
    communicator.look_while_waiting(Patience(communicator, options, signals));
}

void do_not_wait_in_vain(Communicator& communicator, int exit_code) {
    communicator.look_while_waiting([&communicator, exit_code](Clock::duration waited) {
        if (communicator.is_first() && waited > Communicator::kPatience)
            end_in_vain(communicator, "", exit_code, false);
    });
}

int or_end_the_job(Communicator& communicator, const std::function<int()>& action) {
    try {
        return action();
    } catch (const NoDeviceError&) {
        throw;
    } catch (const ClosedPipeError&) {
        communicator.abort(kClosedPipe);
    } catch (const InputError& error) {
        end_job(communicator, error, kBadInput);
    } catch (const std::exception& error) {
        end_job(communicator, error, kDeviceFailed);
    }
}

}  // namespace gpuminer::mpi
