// The command journal: earlier finds of pool and solo.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options/algorithms.hpp"
#include "cli/terminal/output.hpp"
#include "host/errors.hpp"
#include "host/files/path_text.hpp"
#include "host/text/document.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "net/journal/file.hpp"
#include "net/journal/history.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;
using net::JournalBlock;
using net::JournalHistory;
using net::PoolDay;
using net::ShareCounts;

struct ReadJournals {
    std::vector<std::string> files;
    std::vector<JournalHistory> histories;  ///< of algorithms of which there is something, but one at least
};

bool is_empty(const JournalHistory& history) {
    return history.days().empty() && history.blocks().empty() && history.earlier_blocks() == 0 &&
           history.earlier().shares + history.earlier().accepted == 0;
}

/// Those of the command line, each of which has to be there, or else the default ones as far as they are.
ReadJournals read_journals(const std::vector<std::string>& names, const Algorithm& algorithm, bool alone) {
    ReadJournals journals;
    for (const Algorithm* each : all_algorithms()) {
        if (!alone || each == &algorithm) journals.histories.emplace_back(each->name);
    }
    const auto read = [&](const std::filesystem::path& journal) {
        const auto groups = net::journal_files(journal);
        for (const auto& files : groups) {
            for (JournalHistory& history : journals.histories) net::read_history(files, history);
            for (const auto& file : files) journals.files.push_back(path_text(file));
        }
        return !groups.empty();
    };
    for (const std::string& name : names) {
        if (!read(name)) throw InputError(fmt::format("the journal {} does not exist", quoted_text(name, 200)));
    }
    if (names.empty()) {
        for (const char* command : {"pool", "solo"})
            (void)read(net::default_journal_path(state_name(command, algorithm)));
    }
    while (journals.histories.size() > 1) {
        const auto empty = std::ranges::find_if(journals.histories, is_empty);
        if (empty == journals.histories.end()) break;
        journals.histories.erase(empty);
    }
    return journals;
}

ShareCounts sum_of(const JournalHistory& history) {
    ShareCounts sum = history.earlier();
    for (const PoolDay& day : history.days()) sum.add(day.counts);
    return sum;
}

// ----- text -----

std::string best_text(double difficulty) { return difficulty > 0 ? difficulty_text(difficulty) : "-"; }

/// HOST:PORT of a URL.
std::string without_scheme(const std::string& url) {
    const std::size_t scheme = url.find("://");
    return scheme == std::string::npos ? url : url.substr(scheme + 3);
}

std::string share_row(const std::string& day, const std::string& pool, const ShareCounts& counts) {
    constexpr std::size_t kPoolWidth = 22;
    const std::string shown = shortened(without_scheme(pool), kPoolWidth);
    const std::string blanks(kPoolWidth - character_count(shown), ' ');
    return fmt::format("{:10}  {}{} {:>9} {:>9} {:>7} {:>7} {:>8}\n", day, shown, blanks, grouped(counts.shares),
                       grouped(counts.accepted), grouped(counts.refused), grouped(counts.dropped + counts.open),
                       best_text(counts.best_difficulty));
}

std::string shares_text(const JournalHistory& history) {
    std::string text = fmt::format("{:10}  {:22} {:>9} {:>9} {:>7} {:>7} {:>8}\n", "day (UTC)", "pool", "shares",
                                   "accepted", "refused", "no end", "best");
    const ShareCounts& earlier = history.earlier();
    if (earlier.shares > 0) text += share_row("earlier", "", earlier);
    for (const PoolDay& day : history.days()) {
        text += share_row(day.day, day.pool, day.counts);
        for (const auto& [reason, count] : day.reasons)
            text += fmt::format("            {:>9} {}\n", grouped(count),
                                shortened(reason.empty() ? "without a reason" : reason, 56));
    }
    return text;
}

std::string blocks_text(const std::vector<JournalBlock>& blocks) {
    std::string text;
    for (const JournalBlock& block : blocks) {
        text += fmt::format("\n{}  {}{}: {}\n  {}\n", block.time.empty() ? "(no time)" : block.time,
                            shortened(without_scheme(block.where), 30),
                            block.height > 0 ? fmt::format(" {}", block.height) : "",
                            block.result.empty() ? "no reply yet" : shortened(block.result, 60), block.hash);
    }
    return text;
}

std::string history_text(const JournalHistory& history) {
    const ShareCounts sum = sum_of(history);
    const std::vector<JournalBlock> blocks = history.blocks();
    if (sum.shares + sum.accepted + history.earlier_blocks() == 0 && blocks.empty())
        return "no shares and no blocks yet\n";
    std::string text;
    if (sum.shares + sum.accepted > 0) {
        text = shares_text(history) +
               fmt::format("\n{} shares, {} accepted; the sum of their difficulties is {}\nbest hash: difficulty {}\n",
                           grouped(sum.shares), grouped(sum.accepted), difficulty_text(sum.accepted_difficulty),
                           best_text(sum.best_difficulty));
    }
    if (!blocks.empty()) text += (text.empty() ? "blocks" : "\nblocks") + blocks_text(blocks);
    if (history.earlier_blocks() > 0)
        text += fmt::format("\n{} blocks in files since deleted\n", grouped(history.earlier_blocks()));
    return text;
}

std::string journal_text(const std::vector<JournalHistory>& histories) {
    std::string text;
    for (const JournalHistory& history : histories) {
        if (histories.size() > 1) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", history.algorithm());
        text += history_text(history);
    }
    return text;
}

// ----- JSON -----

Json counts_json(const ShareCounts& counts) {
    return {{"shares", counts.shares},
            {"accepted", counts.accepted},
            {"refused", counts.refused},
            {"dropped", counts.dropped},
            {"open", counts.open},
            {"accepted_difficulty", counts.accepted_difficulty},
            {"best_difficulty", counts.best_difficulty > 0 ? Json(counts.best_difficulty) : Json(nullptr)}};
}

/// Of all algorithms together. The difficulties of several cannot be added or compared.
Json common_json(const std::vector<ShareCounts>& of_each) {
    ShareCounts sum;
    for (const ShareCounts& counts : of_each) sum.add(counts);
    Json json = counts_json(sum);
    if (of_each.size() > 1) json["accepted_difficulty"] = json["best_difficulty"] = nullptr;
    return json;
}

void add_rows(const JournalHistory& history, Json& days, Json& blocks) {
    for (const PoolDay& day : history.days()) {
        Json row{{"day", text_or_null(day.day)}, {"pool", day.pool}, {"algorithm", history.algorithm()}};
        row.update(counts_json(day.counts));
        row["reasons"] = day.reasons;
        days.push_back(std::move(row));
    }
    for (const JournalBlock& block : history.blocks()) {
        blocks.push_back({{"time", text_or_null(block.time)},
                          {"where", block.where},
                          {"algorithm", history.algorithm()},
                          {"height", block.height > 0 ? Json(block.height) : Json(nullptr)},
                          {"hash", block.hash},
                          {"result", text_or_null(block.result)}});
    }
}

Json journal_json(const ReadJournals& journals) {
    std::vector<ShareCounts> totals, earlier;
    Json days = Json::array(), blocks = Json::array(), algorithms = Json::array();
    std::uint64_t earlier_blocks = 0;
    for (const JournalHistory& history : journals.histories) {
        totals.push_back(sum_of(history));
        earlier.push_back(history.earlier());
        earlier_blocks += history.earlier_blocks();
        add_rows(history, days, blocks);
        algorithms.push_back({{"algorithm", history.algorithm()},
                              {"total", counts_json(totals.back())},
                              {"earlier", counts_json(earlier.back())}});
    }
    return {{"files", journals.files},         {"total", common_json(totals)},
            {"earlier", common_json(earlier)}, {"algorithms", std::move(algorithms)},
            {"days", std::move(days)},         {"blocks", std::move(blocks)},
            {"earlier_blocks", earlier_blocks}};
}

}  // namespace

int run_journal(const Options& options) {
    const ReadJournals journals = read_journals(options.operands, *options.devices.algorithm, options.names_algorithm);
    Output output;
    output.write(options.json ? json_text(document("journal", journal_json(journals)), 1) + "\n"
                              : journal_text(journals.histories));
    output.finish();
    return kSuccess;
}

}  // namespace gpuminer
