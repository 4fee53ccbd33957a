#include "cli/options/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bench/workloads/workload.hpp"
#include "bench/workloads/workload_list.hpp"
#include "cli/options/algorithms.hpp"
#include "cli/options/available.hpp"
#include "gpuminer_lists.hpp"
#include "host/block/header.hpp"
#include "net/bitcoin/chain.hpp"

namespace gpuminer {
namespace {

struct GroupRow {
    Group group;
    const char* title;
};
constexpr GroupRow kGroups[] = {{kTarget, "Target"},
                                {kRange, "Range"},
                                {kSearch, "Search"},
                                {kPool, "Pool"},
                                {kSolo, "Node"},
                                {kServer, "Server"},
                                {kLimit, "Limit"},
                                {kEvents, "Events"},
                                {kHttp, "Page and API"},
                                {kAlert, "Alerts"},
                                {kDevice, "Devices"},
                                {kTemperature, "Temperature"},
                                {kBench, "Benchmark"},
                                {kReports, "Reports"},
                                {kFailBelow, "Comparison"},
                                {kExplain, "Explain"},
                                {kAgainst, "Beside another"},
                                {kEverywhere, "Everywhere"}};

constexpr unsigned kSearching = kGroupsWithoutCommand;
constexpr unsigned kMining = kServer | kLimit | kEvents | kHttp | kAlert | kDevice | kTemperature;
constexpr CommandRow kCommands[] = {
    {Command::kMine, "mine", "HEADER", false, kSearching | kEvents | kHttp | kAlert, "find nonces for one header"},
    {Command::kGrind, "grind", "HEADER", false, kSearching,
     "print the solved header and nothing else, as `bitcoin-util grind` does"},
    {Command::kVerify, "verify", "HEADER", false, kTarget, "check one header and show each of its fields"},
    {Command::kPool, "pool", nullptr, false, kPool | kMining, "mine for a pool (Stratum V1 and V2)"},
    {Command::kSolo, "solo", nullptr, false, kSolo | kMining, "mine on a full node (getblocktemplate)"},
    {Command::kBench, "bench", "WORKLOAD", true, kTarget | kRange | kDevice | kBench | kReports | kFailBelow | kAgainst,
     "measure, verify and report"},
    {Command::kCompare, "compare", "FILE", true, kReports | kFailBelow,
     "compare documents of bench with the first one, and mark noise"},
    {Command::kDevices, "devices", nullptr, false, kDevice, "list every device, usable or not, and why not"},
    {Command::kJournal, "journal", "FILE", true, 0, "list the shares and blocks that pool and solo found"},
    {Command::kPair, "pair", nullptr, false, kHttp, "let a phone or another browser in to a running miner's page"},
    {Command::kStatus, "status", nullptr, false, kHttp, "what a running miner does"},
    {Command::kPause, "pause", nullptr, false, kHttp, "pause a running miner"},
    {Command::kResume, "resume", nullptr, false, kHttp, "resume a running miner"},
    {Command::kConfig, "config", "WHAT", false, 0,
     "check: report every mistake in the configuration; show: what is set, and where; example: a file with every "
     "option"},
    {Command::kExplain, "explain", "HEADER", false, kExplain | kAgainst,
     "show each step of the double hash, for learners"},
};
constexpr OptionRow kOptions[] = {
    {kTarget, "--target", "HEX64", "largest hash of a hit, display order (default: the header's nBits)"},
    {kTarget, "--nbits", "HEX8", "the target in compact form"},
    {kTarget, "--difficulty", "X", "the target as a difficulty"},
    {kRange, "--start", "N", "first nonce, decimal or 0x… (default 0)"},
    {kRange, "--end", "N", "last nonce, inclusive (default 0xffffffff)"},
    {kSearch, "--all", nullptr, "every hit of the range in ascending order, instead of the first one found"},
    {kSearch, "--max-results", "N", "at most N with --all (default 1000000)"},
    {kSearch, "--deterministic", nullptr, "the lowest hit, regardless of the number of threads and devices"},
    {kSearch, "--partition", "HOW",
     "static: one piece per device, once all are open; dynamic: batches from a shared cursor (default)", false, nullptr,
     "static, dynamic"},
    {kSearch, "--roll-versions", "MASK", "search these bits of the version as well (BIP 323: within 1fffffe0)"},
    {kSearch, "--checkpoint", "FILE",
     "write the progress to this new file, every 2 s and at the end (docs/checkpoints.md)"},
    {kSearch, "--resume", "FILE",
     "resume from such a file, and write to it; with --checkpoint of the same name, begin if there is none"},
    {kPool, "-o,--url", "URL",
     "stratum+tcp://HOST:PORT, stratum+ssl://… (TLS), HOST:PORT, or stratum2+tcp://HOST:PORT/AUTHORITY_KEY (Stratum "
     "V2); "
     "several: the later ones when the first is down",
     true},
    {kPool, "-u,--user", "NAME",
     "login for the pool before it, and for later ones without a user: often ADDRESS.WORKER", true},
    {kPool, "-p,--pass", "TEXT", "password (default x); safer by --pass-file or GPUMINER_PASS", true, "GPUMINER_PASS"},
    {kPool, "-O,--userpass", "U:P", "user and password in one, or GPUMINER_USERPASS", true, "GPUMINER_USERPASS"},
    {kPool, "--pass-file", "FILE", "password: the first line of this file, or of standard input (-)", true},
    {kPool, "-x,--proxy", "URL", "socks5://[user:pass@]HOST:PORT or http://…, or GPUMINER_PROXY", false,
     "GPUMINER_PROXY"},
    {kPool, "--no-redirect", nullptr, "ignore the pool's requests to reconnect elsewhere"},
    {kPool, "--tls-fingerprint", "HEX", "SHA-256 of the pool's certificate, checked in place of its chain"},
    {kPool, "--suggest-diff", "D", "difficulty to request (default: a share about every 7.5 s; Stratum V2: none)"},
    {kPool, "--advertise-hashrate", "RATE",
     "hash rate to tell a Stratum V2 pool, which sets its difficulty by it, in place of the measured one: 500k, 5T"},
    {kPool, "--channels", "N",
     "channels to open on one connection to a Stratum V2 pool, mined in turn: for tests of pools (default 1)"},
    {kPool, "--shares", "N", "stop after N accepted shares"},
    {kPool, "--log-shares", nullptr, "a line for each accepted share even without a terminal"},
    {kPool, "--single-submit", nullptr, "one share in flight at a time; not with Stratum V2"},
    {kPool, "--probe", "URL", "say what this pool's server is and offers, with -u also its difficulty, and end"},
    {kSolo, "--node", "URL",
     "http://USER:PASS@HOST:PORT, or GPUMINER_NODE; several: all get the blocks (default: by --datadir and --chain)",
     true, "GPUMINER_NODE"},
    {kSolo, "--cookie", "FILE", "a file of USER:PASS, such as the node's .cookie, for URLs without a login"},
    {kSolo, "--datadir", "DIR", "Bitcoin Core's (default ~/.bitcoin): its bitcoin.conf and cookie name the node"},
    {kSolo, "--chain", "NAME", GPUMINER_CHAIN_NAMES ": refuse a node on any other", false, nullptr,
     GPUMINER_CHAIN_NAMES},
    {kSolo, "--coinbase-addr", "ADDR", "address that blocks pay: base58, bech32 or bech32m"},
    {kSolo, "--coinbase-sig", "TEXT", "text for the coinbase"},
    {kSolo, "--max-diff", "D", "mine only up to this difficulty, such as 1 in testnet's 20-minute windows"},
    {kServer, "-r,--retries", "N", "attempts after a failed one (default: no limit)"},
    {kServer, "-R,--retry-pause", "TIME",
     "pause before the second attempt, doubled before each later one (default 5s)"},
    {kServer, "--cert", "FILE", "certificates to trust in place of the system's (PEM)"},
    {kServer, "--insecure", nullptr, "TLS without verifying the server: anyone in between can pose as it"},
    {kServer, "--blocks", "N", "stop after N accepted blocks"},
    {kServer, "--max-hashrate", "RATE", "limit of the hash rate: 500k, 20M"},
    {kServer, "--journal", "FILE", "record of shares and blocks (default: in ~/.local/state/gpuminer)"},
    {kServer, "--no-sandbox", nullptr, "stay outside the seccomp sandbox that CPU-only runs enter"},
    {kLimit, "--time-limit", "TIME", "stop after this time: 90, 90s, 5m, 2h (exit code 3)"},
    {kLimit, "--pause-on-battery", nullptr, "pause while this machine runs on battery"},
    {kLimit, "--status-interval", "TIME", "time between status lines without a terminal (default 60s)"},
    {kEvents, "--events", "FILE",
     "events as JSON lines (docs/json.md); -: standard output, with the summary as the last"},
    {kHttp, "--http", "ADDRESS",
     "page, API and metrics of the run (docs/http.md) at PORT (of 127.0.0.1), ADDRESS:PORT or unix:/PATH; of a running "
     "miner also at https://HOST[:PORT]"},
    {kHttp, "--http-token-file", "FILE",
     "file whose first line is the token for changes, and for reads from other machines; a run creates it"},
    {kHttp, "--http-host", "NAME",
     "another name or address by which browsers reach it, such as a proxy's (reads then need the token, too)", true},
    {kAlert, "--on-block", "COMMAND",
     "run COMMAND when a server has accepted a block (docs/http.md#alerts): by sh, with the facts in its environment"},
    {kAlert, "--on-best", "COMMAND", "run COMMAND on a new best hash (not in the first minute)"},
    {kAlert, "--on-stall", "COMMAND",
     "run COMMAND when nothing is hashed for 60 s, or no server gives work for 5 minutes"},
    {kAlert, "--on-device-error", "COMMAND", "run COMMAND when a device is quarantined"},
    {kAlert, "--on-hot", "COMMAND", "run COMMAND when --max-temp or --max-cpu-temp pauses a device"},
    {kAlert, "--webhook", "URL", "send all of these as JSON to this URL, or GPUMINER_WEBHOOK", true,
     "GPUMINER_WEBHOOK"},
    {kDevice, "--backend", "LIST", "auto, " GPUMINER_BACKEND_NAMES " (default auto)", false, nullptr,
     "auto, " GPUMINER_BACKEND_NAMES},
    {kDevice, "-d,--devices", "LIST",
     "names or numbers as `gpuminer devices` prints them, or a backend for all of its devices", false, nullptr,
     GPUMINER_BACKEND_NAMES},
    {kDevice, "-t,--threads", "N",
     "CPU threads, or all (default: all hardware threads minus one, at least one; grind and bench: all)"},
    {kDevice, "--isa", "NAME",
     "auto, " GPUMINER_ISA_NAMES_OF_ALL " (default auto: the fastest here); avx512:2: its second form; for "
     "verushash aesni, or on ARM64 aes",
     false, nullptr, "auto, " GPUMINER_ISA_NAMES},
    {kDevice, "--cpu-affinity", "LIST", "hardware threads to run on, such as 0,2-5"},
    {kDevice, "--cpu-priority", "N",
     "0 idle, 1 below normal (default), 2 normal, 3 (default of bench) … 5 highest; above 2 the threads that serve "
     "GPUs come first",
     false, nullptr, "0, 1, 2, 3, 4, 5"},
    {kDevice, "-i,--intensity", "N",
     "batches of 2^N hashes instead of tuned ones; a smaller N keeps a desktop responsive"},
    {kTemperature, "--max-temp", "C", "pause a GPU that reaches this temperature, 30 to 110 degrees Celsius"},
    {kTemperature, "--resume-temp", "C", "resume it at this temperature or less (default 10 below)"},
    {kTemperature, "--max-cpu-temp", "C",
     "pause all CPU threads when the CPU reaches this temperature, until it is 10 below (default: never)"},
    {kDevice, "--cuda-code", "KIND",
     "code that NVIDIA GPUs run: machine, ptx (compiled by the driver), or auto (default: machine code if there is "
     "some)",
     false, nullptr, "machine, ptx, auto"},
    {kDevice, "--retune", nullptr, "time the kernels again, ignoring cached results"},
    {kBench, "--seconds", "TIME", "time per row, over all rounds (default: the workload's own)"},
    {kBench, "--rounds", "N", "number of rounds, in which the rows take turns (default: the workload's own)"},
    {kBench, "--for", "TIME", "approximate time of the whole run: as many rounds as fit"},
    {kBench, "--quick", nullptr, "the same as --for 20s"},
    {kBench, "--label", "TEXT", "name of the run, in every report"},
    {kBench, "--submit", "F.json",
     "a small document of each device's rates to pass on, with nothing about you in it; nothing is sent"},
    {kBench, "--header", "HEADER", "header for pseudo-miner (default: block 100000)"},
    {kBench, "--block", "F.dat", "raw block for block (default: 2,000 transactions with the sizes of a real block's)"},
    {kReports, "--report", "F.html", "a page with plots: one file, for any browser"},
    {kReports, "--csv", "FILE", "every round, or every comparison, a line each"},
    {kReports, "--markdown", "FILE", "tables to paste"},
    {kBench, "--baseline", "F.json", "compare with an earlier document"},
    {kBench, "--expect-min", "RATE",
     "exit code 2 if the scan is slower: 30M, or NAME=VALUE[,…] of any rows (\"kernel/avx2 fixed=11M\")"},
    {kFailBelow, "--fail-below", "PCT", "exit code 2 if B has less than PCT percent of A's performance, beyond noise"},
    {kExplain, "--steps", nullptr, "the schedule and each round of each compression"},
    {kExplain, "--nonce", "N", "with this nonce in place of the header's"},
    {kExplain, "--html", "FILE", "all of it also as a page, for any browser"},
    {kAgainst, "--against", "WHAT",
     "explain: another nonce, and its changes round by round (the avalanche); bench pseudo-miner: BOOTX64.EFI's "
     "GPUMINER.CSV, whose job and kernels it runs (docs/bare-metal.md)"},
    {kEverywhere, "--json", nullptr, "one JSON document on standard output"},
    {kEverywhere, "-q,--quiet", nullptr, "warnings and errors only, no progress"},
    {kEverywhere, "-D,--debug", nullptr, "more messages, and all columns of tables (of mine: ranges and cycles)"},
    {kEverywhere, "--plain", nullptr, "plain lines, as without a terminal or with TERM=dumb: no live lines, no keys"},
    {kEverywhere, "--no-color", nullptr, "no colours (as NO_COLOR in the environment)"},
    {kEverywhere, "-c,--config", "FILE",
     "options from this file, in lines such as `threads = 4`, in place of ~/.config/gpuminer/config.toml and "
     "/etc/gpuminer/config.toml (docs/configuration.md)"},
    {kEverywhere, "--no-config", nullptr, "read no configuration file (as GPUMINER_NO_CONFIG in the environment)"},
    {kEverywhere, "-a,--algorithm", "NAME",
     "sha256d (default), or verushash (VerusHash 2.2, docs/verushash.md): for mine, grind, verify, bench, devices, "
     "journal and "
     "pool",
     false, nullptr, "sha256d, verushash"},
    {kEverywhere, "--log-file", "FILE", "append messages to a file (SIGHUP reopens it)"},
    {kEverywhere, "--log-time", nullptr, "the time before each message, as pool and solo print it without a terminal"},
    {kEverywhere, "-V,--version", nullptr, "the version"},
    {kEverywhere, "-h,--help", nullptr, "this help; with a command, the help for it"},
};

constexpr const char* kTargetOptions[] = {"--target", "--nbits", "--difficulty"};

bool takes_header(const CommandRow& row) {
    return row.argument != nullptr && std::string_view(row.argument) == "HEADER";
}

std::string line(const std::string& left, const char* right) { return fmt::format("  {:26} {}\n", left, right); }

std::string workloads_text() {
    std::string text =
        "\nWorkloads (without one: scan; --header, targets and ranges are for pseudo-miner; --json may name a file):\n";
    for (const bench::Workload& workload : bench::workloads())
        text += line(bench::title_of(workload), workload.description);
    return text + line(bench::kAllWorkloads, "all but pseudo-miner");
}

}  // namespace

const char* title_of(Group group) {
    return std::ranges::find_if(kGroups, [&](const GroupRow& row) { return row.group == group; })->title;
}

std::span<const CommandRow> command_rows() { return available(kCommands); }

const CommandRow* row_of(std::optional<Command> command) {
    const std::span<const CommandRow> rows = command_rows();
    const auto row = std::ranges::find_if(rows, [&](const CommandRow& any) { return any.command == command; });
    return row != rows.end() ? &*row : nullptr;
}

std::span<const OptionRow> option_rows() { return available(kOptions); }

const OptionRow* option_named(std::string_view name) {
    const std::span<const OptionRow> rows = option_rows();
    const auto row = std::ranges::find_if(rows, [&](const OptionRow& any) { return long_name(any).substr(2) == name; });
    return row != rows.end() ? &*row : nullptr;
}

std::string long_name(const OptionRow& row) {
    const std::string names = row.names;
    return names.substr(names.find("--"));
}

std::vector<std::string> words_of_list(const char* list) {
    std::vector<std::string> words;
    std::string_view rest = list != nullptr ? list : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return words;
}

bool is_about(std::string_view message, const OptionRow& row) {
    const std::string names = row.names;  // "-t,--threads"
    return message.starts_with(long_name(row) + ":") || message.starts_with(names.substr(0, names.find(',')) + ":");
}

bool is_of_command_line(const OptionRow& row) {
    constexpr std::string_view kNames[] = {"--config", "--no-config", "--version", "--help", "--probe"};
    return std::ranges::find(kNames, long_name(row)) != std::end(kNames);
}

std::vector<std::string> variables_of(const OptionRow& row) {
    constexpr unsigned kOfOneSearch = kTarget | kRange | kSearch | kBench | kReports | kFailBelow | kExplain;
    if (row.value == nullptr || (row.group & kOfOneSearch) != 0 || is_of_command_line(row)) return {};
    std::string name = long_name(row).substr(2);
    std::ranges::transform(name, name.begin(), [](char c) {
        return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    std::vector<std::string> names = {"GPUMINER_" + name};
    if (row.group == kPool) names.push_back("GPUMINER_POOL_" + name);
    return names;
}

std::span<const char* const> target_options() { return kTargetOptions; }

std::string usage_of(const CommandRow& row) {
    if (row.command == Command::kBench) return "[WORKLOAD…] ";
    if (row.command == Command::kCompare) return "A.json B.json… ";
    if (row.command == Command::kJournal) return "[FILE…] ";
    return row.argument != nullptr ? fmt::format("{} ", row.argument) : "";
}

std::string help_text(const CommandRow* command) {
    std::string text;
    if (command != nullptr) {
        text = fmt::format("gpuminer {}: {}\n\nUsage: gpuminer {} {}[options]\n", command->name, command->description,
                           command->name, usage_of(*command));
    } else {
        text =
            "gpuminer: find the nonce of a Bitcoin block header (SHA-256d)\n\n"
            "Usage: gpuminer [options]             mine the embedded job, real block 100000\n"
            "       gpuminer COMMAND [options]\n\nCommands:\n";
        for (const CommandRow& row : command_rows()) {
            text += line(fmt::format("{} {}", row.name, usage_of(row)), row.description);
        }
    }
    if (command == nullptr || takes_header(*command)) {
        text +=
            "\nHEADER is 152 hex digits (without a nonce), 160 hex digits, @FILE, - (standard\n"
            "input; both also as 80 bytes, or as several headers, one a line, for mine, grind and verify),\n"
            "or the name of an embedded real block:\n";
        for (const EmbeddedBlock& block : embedded_blocks()) text += line(block.name, block.description);
        if (all_algorithms().size() > 1 && (command == nullptr || command->command != Command::kExplain))
            text += "With --algorithm verushash it is 2974 hex digits (1487 bytes), or `example`.\n";
        if (command == nullptr || command->command == Command::kVerify)
            text +=
                "For verify it may also be a whole block, raw or as `bitcoin-cli getblock HASH 0` prints it, and the\n"
                "JSON of `bitcoin-cli getblockheader HASH`.\n";
    }
    if (command != nullptr && command->command == Command::kBench) text += workloads_text();
    const unsigned groups = kEverywhere | (command != nullptr ? command->groups : ~0U);
    for (const GroupRow& group : kGroups) {
        if ((groups & group.group) == 0) continue;
        std::string lines;
        for (const OptionRow& row : option_rows()) {
            if (row.group != group.group) continue;
            lines +=
                line(row.value != nullptr ? fmt::format("{} {}", row.names, row.value) : row.names, row.description);
        }
        if (!lines.empty()) text += fmt::format("\n{}:\n{}", group.title, lines);
    }
    return text;
}

}  // namespace gpuminer
