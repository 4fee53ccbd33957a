#include "cli/documents/man_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "bench/workloads/workload_list.hpp"
#include "cli/documents/entries.hpp"
#include "gpuminer_build_info.hpp"
#include "host/block/header.hpp"

namespace gpuminer::documents {
namespace {

// The README's table; a test compares both.
constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
.B 0
found, verified, finished
.TP
.B 1
bad usage, input or configuration
.TP
.B 2
everything searched, nothing found (\fBverify\fR: target not met; \fBbench\fR, \fBcompare\fR: slower than required)
.TP
.B 3
stopped by a limit with the work unfinished
.TP
.B 4
no usable device
.TP
.B 5
a device or verification failure that left the work unfinished, or an unexpected error such as out of memory
.TP
.B 6
server unreachable, or login refused
.TP
.BR 130 ", " 143
stopped by SIGINT or SIGTERM, after the summary
.TP
.B 141
standard output was closed before its end
)";

constexpr const char* kSignals = R"(.SH SIGNALS
.TP
.BR INT ", " TERM
stop within half a second and print the summary; a second one exits at once
.TP
.B USR1
print statistics
.TP
.B USR2
pause and resume
.TP
.B HUP
reopen the log file
)";

constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
An option missing from the command line takes its value from a variable: GPUMINER_ and the long name in capitals
(GPUMINER_THREADS, GPUMINER_TIME_LIMIT; pool options also as GPUMINER_POOL_PASS). Options that define a search or a
measurement do not.
.TP
.B GPUMINER_NO_CONFIG
read no configuration file
.TP
.B NO_COLOR
no colours
)";

constexpr const char* kFiles = R"(.SH FILES
.TP
.IR \(ti/.config/gpuminer/config.toml ", " /etc/gpuminer/config.toml
options (\fBgpuminer config example\fR prints a file with all of them, \fBgpuminer config check\fR looks for mistakes)
.TP
.I \(ti/.local/state/gpuminer
shares and blocks found by \fBpool\fR and \fBsolo\fR, and the history of \fB\-\-http\fR; a service keeps them in
.I /var/lib/gpuminer
.TP
.I \(ti/.cache/gpuminer
cached facts about this machine's devices
.PP
The variables XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME move them elsewhere.
)";

constexpr const char* kHeaderText = R"(.SH HEADER
152 hex digits (without a nonce), 160 hex digits,
.BI @ FILE\fR,
.B \-
(standard input; both also as 80 bytes, or as several headers, one a line, for \fBmine\fR, \fBgrind\fR and
\fBverify\fR; for \fBverify\fR also as a whole block, raw or as \fBbitcoin-cli getblock HASH 0\fR prints it, and as
the JSON of \fBbitcoin-cli getblockheader HASH\fR), or the name of a real block:
)";

/// Text as man(7) takes it: hyphens that are copied as they are, and what is between backticks in bold.
std::string roff(std::string_view text) {
    std::string result;
    bool bold = false;
    for (const char c : text) {
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else if (c == '~') {
            result += "\\(ti";
        } else if (c == '^') {
            result += "\\(ha";
        } else if (c == '\'') {
            result += "\\(aq";
        } else if (c == '`') {
            bold = !bold;
            result += bold ? "\\fB" : "\\fR";
        } else {
            result += c;
        }
    }
    return result.starts_with('.') ? "\\&" + result : result;
}

std::string item(const std::string& left, const std::string& right) {
    return fmt::format(".TP\n{}\n{}\n", left, right);
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string option_text(const OptionEntry& option) {
    std::string left = option.short_name.empty() ? "" : bold(option.short_name) + ", ";
    left += bold(option.long_name);
    if (!option.value.name.empty()) left += " \\fI" + roff(option.value.name) + "\\fR";
    return item(left, roff(option.description) + (option.repeated ? "; may be repeated" : ""));
}

/// Options under the titles of their groups, in the order of the table.
std::string options_text(const std::vector<OptionEntry>& options) {
    std::vector<Group> groups;
    for (const OptionEntry& option : options) {
        if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
    }
    std::string text = ".SH OPTIONS\n";
    for (const Group group : groups) {
        text += fmt::format(".SS {}\n", title_of(group));
        for (const OptionEntry& option : options) {
            if (option.group == group) text += option_text(option);
        }
    }
    return text;
}

std::string blocks_text() {
    std::string text = kHeaderText;
    for (const EmbeddedBlock& block : embedded_blocks()) text += item(bold(block.name), roff(block.description));
    return text;
}

std::string workloads_text() {
    std::string text = ".SH WORKLOADS\nWithout one: scan.\n";
    for (const bench::Workload& workload : bench::workloads()) {
        text += item(bold(bench::title_of(workload)), roff(workload.description));
    }
    return text + item(bold(bench::kAllWorkloads), "all but pseudo\\-miner");
}

std::string head(const std::string& name, const std::string& description) {
    return fmt::format(
        ".\\\" Made from the tables of the command line.\n.TH {} 1 \"\" \"gpuminer {}\" \"User Commands\"\n"
        ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
        roff(name), kVersion, roff(name), roff(description));
}

std::string see_also(std::vector<std::string> pages) {
    std::ranges::transform(pages, pages.begin(), [](const std::string& page) { return ".BR " + roff(page) + " (1)"; });
    return fmt::format(".SH SEE ALSO\n{}\n.PP\nThe documents in\n.IR /usr/share/doc/gpuminer .\n",
                       fmt::join(pages, ",\n"));
}

std::string command_page(const CommandEntry& command) {
    std::string text = head("gpuminer-" + command.name, command.description);
    text += fmt::format("\\fBgpuminer {}\\fR {}{}[\\fIoptions\\fR]\n", command.name, roff(command.usage),
                        command.usage.empty() ? "" : " ");
    if (command.argument.values == Values::kHeader) text += blocks_text();
    if (command.name == "bench") text += workloads_text();
    return text + options_text(command.options) + kExitStatus + kFiles + see_also({"gpuminer"});
}

std::string main_page(const std::vector<CommandEntry>& commands) {
    std::string text = head("gpuminer", "find the nonce of a Bitcoin block header (SHA-256d)");
    text += "\\fBgpuminer\\fR [\\fIoptions\\fR]\n.br\n\\fBgpuminer\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
    text +=
        ".SH DESCRIPTION\nSearches nonces on CPUs and GPUs: for one header, for a pool or for a full node. Without a\n"
        "command it mines the embedded job, real block 100000. Options may stand before or after the command.\n"
        ".SH COMMANDS\n";
    std::vector<std::string> pages;
    for (const CommandEntry& command : commands) {
        text += item(bold(command.name) + (command.usage.empty() ? "" : " " + roff(command.usage)),
                     roff(command.description));
        pages.push_back("gpuminer-" + command.name);
    }
    return text + blocks_text() + options_text(all_options()) + kExitStatus + kSignals + kEnvironment + kFiles +
           see_also(pages);
}

}  // namespace

std::vector<ManPage> man_pages() {
    const std::vector<CommandEntry> commands = all_commands();
    std::vector<ManPage> pages = {{"gpuminer", main_page(commands)}};
    for (const CommandEntry& command : commands) pages.push_back({"gpuminer-" + command.name, command_page(command)});
    return pages;
}

}  // namespace gpuminer::documents
