// The commands pair, status, pause and resume, for a miner that runs already.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/report/pairing_text.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "web/remote_miner.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;

// Members of a document of another version may be missing, and whoever answers may say anything.

Json member(const Json& json, const char* name) { return json.is_object() ? json.value(name, Json()) : Json(); }

std::string text_in(const Json& json, const char* name) {
    constexpr std::size_t kLongest = 500;  // characters
    const Json value = member(json, name);
    return value.is_string() ? shortened(printable(value.get<std::string>()), kLongest) : "";
}

double number_in(const Json& json, const char* name) {
    constexpr double kMost = 1e18;
    const Json value = member(json, name);
    return value.is_number() ? std::clamp(value.get<double>(), 0.0, kMost) : 0;
}

std::string count_in(const Json& json, const char* name) { return fmt::format("{:.15g}", number_in(json, name)); }

/// Who says why there is no work: the pool that cannot be used, or else the first one; of nodes all together.
Json without_work(const Json& summary) {
    Json details = member(summary, "details");
    const Json pools = member(details, "pools");
    if (!pools.is_array() || pools.empty()) return details;
    const auto failed =
        std::ranges::find_if(pools, [](const Json& pool) { return !text_in(pool, "last_error").empty(); });
    return failed != pools.end() ? *failed : pools.front();
}

/// "URL, connected", "URL, not connected: REASON"
std::string server_text(const Json& summary) {
    const Json server = member(summary, "server");
    std::string name = text_in(server, "name");
    const auto said = [&](const std::string& state) { return name.empty() ? state : name + ", " + state; };
    if (member(server, "connected") == true) return said("connected");
    if (member(server, "logged_in") == true) return said("logged in");
    const Json who = without_work(summary);
    const std::string why = text_in(who, "last_error"), url = text_in(who, "url");
    if (!url.empty() && (name.empty() || !why.empty())) name = url;
    return said(why.empty() ? "not connected" : "not connected: " + why);
}

std::string status_text(const Json& summary) {
    const std::string idle = text_in(summary, "idle");
    std::string text = fmt::format("{:12}{}\n", text_in(summary, "command"),
                                   idle.empty() ? rate_text(number_in(summary, "hash_rate")) : "idle: " + idle);
    text += fmt::format("{:12}{}\n", "uptime", duration_text(number_in(summary, "uptime_seconds")));
    if (!member(summary, "server").is_object()) return text;
    const double last = number_in(summary, "last_accepted_seconds");
    text += fmt::format("{:12}{}\n", "server", server_text(summary));
    text +=
        fmt::format("{:12}{} accepted, {} rejected{}\n", "shares", count_in(summary, "accepted"),
                    count_in(summary, "rejected"), last > 0 ? fmt::format(", last {} ago", duration_text(last)) : "");
    text += fmt::format("{:12}{}, {} ever\n", "best", difficulty_text(number_in(summary, "best_difficulty")),
                        difficulty_text(number_in(summary, "best_difficulty_ever")));
    return text;
}

std::string pairing_text_of(const Json& pairing, const web::MinerAddress& miner) {
    return pairing_text({text_in(pairing, "address"), text_in(pairing, "reason"), text_in(pairing, "secret"),
                         text_in(pairing, "digits")},
                        "the page at " + web::place_of(miner), canvas_of(kStandardOutput));
}

/// The miner's document for the command.
Json answer_to(Command command, const web::MinerAddress& miner) {
    if (command == Command::kStatus) return web::read_from_miner(miner, "summary", "gpuminer summary");
    if (command == Command::kPair) return web::post_to_miner(miner, "pairing", "gpuminer pairing");
    return web::post_to_miner(miner, command == Command::kPause ? "pause" : "resume", "gpuminer done");
}

}  // namespace

int run_control(const Options& options) {
    constexpr int kIndent = 2;
    const Command command = *options.command;
    const Json answer = answer_to(command, options.miner);
    Output output;
    if (options.json) {
        output.write(json_text(answer, kIndent) + "\n");
    } else if (command == Command::kPair) {
        output.write_colored(pairing_text_of(answer, options.miner));
    } else {
        output.write(command == Command::kStatus  ? status_text(answer)
                     : command == Command::kPause ? "paused\n"
                                                  : "resumed\n");
    }
    output.finish();
    return kSuccess;
}

}  // namespace gpuminer
