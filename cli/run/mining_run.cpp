#include "cli/run/mining_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "cli/report/device_text.hpp"
#include "cli/report/report.hpp"
#include "cli/run/exit_codes.hpp"
#include "cli/run/sandbox.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;

/// A server has this long to answer for what is in flight; less when somebody waits for the end.
constexpr milliseconds kPatience{3000};
constexpr milliseconds kPatienceWhenStopped{250};

}  // namespace

void MiningRun::found(const JobHit& found) {
    const MutexLock lock(mutex_);
    if (client_ != nullptr) client_->found(found);
}

net::WorkCallbacks MiningRun::callbacks(Run& run) {
    return {.new_job =
                [this](std::shared_ptr<const MiningJob> job) {
                    observers_.job(job.get());
                    pacer_.set_job(std::move(job));
                },
            .say = [&run](Severity severity, std::string text) { run.say(severity, std::move(text)); },
            .answered = [this](const net::AnsweredFind& find) { observers_.answered(find); },
            .hash_rate = [this] { return pacer_.hash_rate(); },
            .stopped = [this] { return search_.stopped(); },
            .over =
                [this](net::Outcome outcome, std::string sentence) {
                    {
                        const MutexLock lock(mutex_);
                        outcome_ = outcome;
                        sentence_ = std::move(sentence);
                    }
                    search_.stop(Ending::kFinished);  // takes locks under which found() is called
                }};
}

net::WorkStatus MiningRun::status() const {
    const MutexLock lock(mutex_);
    return client_ != nullptr ? client_->status() : last_status_;
}

RunFacts MiningRun::facts() {
    return {.search = search_,
            .ready = fleet_.ready(),
            .text = [this](const SearchProgress& now, double rate,
                           const net::WorkStatus& status) { return mining_progress_text(now, rate, status, solo_); },
            .status = [this] { return status(); },
            .activate_pool =
                [this](std::size_t pool) {
                    const MutexLock lock(mutex_);
                    return client_ != nullptr && client_->use_pool(pool);
                },
            .time_limit = options_.time_limit};
}

int MiningRun::run(const Connect& connect) {
    MiningReport report;
    report.algorithm = options_.devices.algorithm;
    report.solo = solo_;
    report.each_device = options_.log.debug;
    {
        const std::string greeting = fmt::format("gpuminer {}: {}", kVersion, count_devices(fleet_.ready()));
        Run run(options_, setup_, signals_, observers_, facts());
        // Before the first line: what is wrong with the options is the only thing to be said.
        const std::unique_ptr<net::WorkClient> client = connect(callbacks(run));
        const ClientInUse in_use(*this, *client);
        run.begin(greeting);
        for (const std::string& warning : options_.mining.warnings) log_warning(warning);
        report.search = search(run);
        report.sensors = run.finish();
        wait_for_replies(*client);
        report.status = client->end();
    }
    return finish(report);
}

SearchReport MiningRun::search(Run& run) {
    SearchReport report = search_.run([&](const DeviceInfo& info) { run.joined(info); }, [&] { give_up_rights(run); });
    if (have_cycle_counter()) report.counter_hz = measured_counter_hz();
    return report;
}

/// Drivers of GPUs start programs (compilers, linkers) whenever they like; nothing else here does.
void MiningRun::give_up_rights(Run& run) const {
    if (!options_.mining.sandbox) return;
    if (!std::ranges::all_of(fleet_.ready(), &DeviceInfo::is_cpu))
        return run.say(Severity::kDebug, "no sandbox: GPU drivers may have to start programs");
    run.say(Severity::kDebug, enter_sandbox() ? "sandbox: this process can no longer start programs"
                                              : "no sandbox: the kernel does not allow it (seccomp)");
}

/// A signal ends it early, whenever it comes.
void MiningRun::wait_for_replies(net::WorkClient& client) const {
    constexpr milliseconds kStep{25};
    milliseconds waited{0};
    milliseconds waited_since_signal{0};
    while (!client.finish(kStep) && waited < kPatience && waited_since_signal < kPatienceWhenStopped) {
        waited += kStep;
        if (signals_.stop_signal() != 0) waited_since_signal += kStep;
    }
}

void MiningRun::write(const MiningReport& report) const {
    if (options_.events != "-") {
        Output output;
        if (options_.json) {
            output.write(json_text(mining_json(report), 1) + "\n");
            output.finish();
        } else {
            write_mining_text(output, report);
        }
    }
    if (report.search.ending == Ending::kFailed) log_error("all devices failed");
}

int MiningRun::finish(const MiningReport& report) {
    std::optional<net::Outcome> outcome;
    std::string sentence;
    {
        const MutexLock lock(mutex_);
        outcome = outcome_;
        sentence = sentence_;
    }
    const bool refused = outcome && *outcome != net::Outcome::kEnough && report.search.ending == Ending::kFinished;
    const int refusal = outcome == net::Outcome::kBadInput ? kBadInput : kServerUnreachable;
    observers_.end(
        [&](std::size_t) { return json_text(refused ? error_document(sentence, refusal) : mining_json(report)); });
    if (!refused || (!options_.json && report.status.accepted > 0)) write(report);
    if (refused) {
        if (refusal == kBadInput) throw InputError(sentence);
        throw NetworkError(sentence);
    }
    return exit_code_of(report.search.ending, signals_.stop_signal());
}

}  // namespace gpuminer
