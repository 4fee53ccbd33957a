#include "cli/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "bench/workloads/workload_list.hpp"
#include "cli/options/algorithms.hpp"
#include "cli/options/option_values.hpp"
#include "cli/terminal/terminal.hpp"
#include "cpu/machine/topology.hpp"
#include "gpuminer_lists.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "host/thread_priority.hpp"

namespace gpuminer {
namespace {

constexpr const char* kPseudoMiner = "pseudo-miner";
constexpr const char* kBlock = "block";

PartitionMode partition_mode(const std::string& name) {
    if (name == "static") return PartitionMode::kStatic;
    if (name == "dynamic") return PartitionMode::kDynamic;
    throw InputError("--partition: expected static or dynamic, got " + (name.empty() ? "nothing" : quoted_text(name)));
}

/// In lower case; which names there are is known to the backend.
std::string parse_isa(const std::string& name) {
    if (name.empty())
        throw InputError("--isa: expected the name of an instruction set (auto, " GPUMINER_ISA_NAMES "), got nothing");
    return ascii_lower(name);
}

std::string parse_cuda_code(const std::string& text) {
    std::string kind = ascii_lower(text);
    if (kind == "auto" || kind == "machine" || kind == "ptx") return kind;
    throw InputError(fmt::format("--cuda-code: expected auto, machine or ptx, got {}",
                                 text.empty() ? "nothing" : quoted_text(text)));
}

/// `parse` of the option's value, with the option's name before what it has to complain about.
template <class Parse>
void read_target(const Arguments& arguments, const char* name, const Parse& parse, std::optional<Hash256>& target) {
    const auto text = arguments.text(name);
    if (!text || target) return;
    try {
        target = parse(*text);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name, error.what()));
    }
}

std::optional<std::uint32_t> nonce(const Arguments& arguments, const char* name) {
    constexpr std::uint32_t kLastNonce = 0xffffffff;
    const auto text = arguments.text(name);
    if (!text) return std::nullopt;
    return static_cast<std::uint32_t>(parse_number(name, *text, 0, kLastNonce));
}

std::optional<std::string> file_name(const Arguments& arguments, const char* name) {
    auto text = arguments.text(name);
    if (text && (text->empty() || *text == "-"))
        throw InputError(fmt::format("{}: expected a file name, got {}", name, text->empty() ? "nothing" : "'-'"));
    return text;
}

void read_search(const Arguments& arguments, Options& options) {
    SearchRequest& request = options.request;
    request.start = nonce(arguments, "--start").value_or(request.start);
    request.end = nonce(arguments, "--end").value_or(request.end);
    if (request.start > request.end) {
        throw InputError(fmt::format("expected --start at or before --end, got {} and {}", request.start, request.end));
    }
    if (arguments.flag("--all")) request.goal = Goal::kAll;
    if (arguments.flag("--deterministic")) request.goal = Goal::kLowest;
    if (const auto text = arguments.text("--max-results")) {
        request.max_results = parse_number("--max-results", *text, 1, std::numeric_limits<std::uint64_t>::max());
    }
    if (const auto text = arguments.text("--partition")) request.partition = partition_mode(*text);
    if (const auto text = arguments.text("--roll-versions"))
        request.version_mask = parse_version_mask("--roll-versions", *text);
    options.checkpoint_file = file_name(arguments, "--checkpoint");
    options.resume_file = file_name(arguments, "--resume");
    if (const auto text = arguments.text("--time-limit")) options.time_limit = parse_duration("--time-limit", *text);
    if (const auto text = arguments.text("--status-interval"))
        options.status_interval = parse_duration("--status-interval", *text);
}

void read_devices(const Arguments& arguments, DeviceSelection& selection) {
    constexpr unsigned kMostThreads = 4096;
    constexpr unsigned kHighestIntensity = 40;
    DeviceOptions& device = selection.options;
    if (const auto text = arguments.text("--backend")) selection.backends = parse_list("--backend", ascii_lower(*text));
    if (const auto text = arguments.text("--devices")) selection.devices = parse_list("-d", *text);
    if (const auto text = arguments.text("--threads"))
        device.threads = *text == "all" ? static_cast<unsigned>(cpu::usable_hardware_threads().size())
                                        : parse_small("-t", *text, 1, kMostThreads);
    if (const auto text = arguments.text("--isa")) device.isa = parse_isa(*text);
    if (const auto text = arguments.text("--cpu-affinity"))
        device.cpu_affinity = parse_cpu_list("--cpu-affinity", *text);
    if (const auto text = arguments.text("--cpu-priority")) {
        device.cpu_priority = parse_small("--cpu-priority", *text, 0, kHighestPriority);
    }
    if (const auto text = arguments.text("--intensity"))
        device.intensity = parse_small("-i", *text, 0, kHighestIntensity);
    if (const auto text = arguments.text("--cuda-code")) device.cuda_code = parse_cuda_code(*text);
    device.retune = arguments.flag("--retune");
}

constexpr unsigned kCoolBy = 10;  // degrees Celsius from the limit to where a device resumes, if nothing else is asked

std::optional<unsigned> degrees(const Arguments& arguments, const char* name) {
    constexpr unsigned kLowest = 30, kHighest = 110;
    const auto text = arguments.text(name);
    return text ? std::optional(parse_small(name, *text, kLowest, kHighest)) : std::nullopt;
}

std::optional<TemperatureLimits> temperature_limits(const Arguments& arguments) {
    const auto max = degrees(arguments, "--max-temp");
    const auto resume = degrees(arguments, "--resume-temp");
    if (!max && resume) throw InputError("--resume-temp needs --max-temp");
    if (!max) return std::nullopt;
    if (resume && *resume >= *max) {
        throw InputError(fmt::format("expected --resume-temp below --max-temp, got {} and {}", *resume, *max));
    }
    return TemperatureLimits{.max_c = *max, .resume_c = resume.value_or(*max - kCoolBy)};
}

std::optional<TemperatureLimits> cpu_temperature_limits(const Arguments& arguments) {
    const auto max = degrees(arguments, "--max-cpu-temp");
    return max ? std::optional(TemperatureLimits{.max_c = *max, .resume_c = *max - kCoolBy}) : std::nullopt;
}

/// "30M", "scan/all fixed=1.2G,os/create thread=40"
std::vector<Expectation> expectations(const Arguments& arguments) {
    std::vector<Expectation> all;
    const auto text = arguments.text("--expect-min");
    if (!text) return all;
    for (const std::string& part : parse_list("--expect-min", *text)) {
        const std::size_t equals = part.rfind('=');
        const std::string name = equals == std::string::npos ? "" : part.substr(0, equals);
        const std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
        if (equals == 0) throw InputError("--expect-min: expected a row's name before '=', got nothing");
        all.push_back({name, parse_quantity("--expect-min", value)});
    }
    return all;
}

/// What only pseudo-miner searches; the other workloads have a job of their own.
void refuse_search_without_pseudo_miner(const Arguments& arguments, const std::vector<std::string>& workloads) {
    if (std::ranges::find(workloads, kPseudoMiner) != workloads.end()) return;
    for (const char* name : {"--header", "--target", "--nbits", "--difficulty", "--start", "--end"}) {
        if (arguments.text(name)) throw InputError(fmt::format("{} applies to bench {} only", name, kPseudoMiner));
    }
}

/// GPUMINER.CSV says all of the job, of threads and of kernels.
std::optional<std::string> against_file(const Arguments& arguments) {
    auto file = file_name(arguments, "--against");
    if (!file) return file;
    if (arguments.operands() != std::vector<std::string>{kPseudoMiner})
        throw InputError(fmt::format("--against applies to bench {} only", kPseudoMiner));
    for (const char* name : {"--header", "--target", "--nbits", "--difficulty", "--start", "--end", "--backend",
                             "--devices", "--threads", "--isa", "--cpu-affinity", "--intensity"}) {
        const bool is_of_command_line = arguments.origin(fmt::format("{}:", name)).empty();
        if (arguments.text(name) && is_of_command_line)
            throw InputError(fmt::format("--against takes job and kernels from its file, and excludes {}", name));
    }
    return file;
}

std::optional<std::string> block_file(const Arguments& arguments) {
    auto file = file_name(arguments, "--block");
    const auto takes = [](const std::string& workload) {
        return workload == kBlock || workload == bench::kAllWorkloads;
    };
    if (file && std::ranges::none_of(arguments.operands(), takes))
        throw InputError(fmt::format("--block applies to bench {} only", kBlock));
    return file;
}

/// A benchmark is there to be measured: it does not stand back, and it keeps real-time scheduling (chrt).
constexpr unsigned kBenchPriority = 3;

void read_bench(const Arguments& arguments, BenchOptions& bench) {
    if (const auto text = arguments.text("--seconds")) bench.seconds = parse_duration("--seconds", *text);
    if (const auto text = arguments.text("--rounds"))
        bench.rounds = parse_small("--rounds", *text, 1, bench::kMostRounds);
    constexpr double kQuick = 20;  // seconds
    if (const auto text = arguments.text("--for")) bench.budget = parse_duration("--for", *text);
    if (arguments.flag("--quick")) bench.budget = bench.budget.value_or(kQuick);
    if (bench.budget && bench.seconds) throw InputError("--seconds (of each row) excludes --for and --quick (of all)");
    bench.label = arguments.text("--label").value_or("");
    bench.json_file = arguments.json_file();
    bench.report_file = file_name(arguments, "--report");
    bench.csv_file = file_name(arguments, "--csv");
    bench.markdown_file = file_name(arguments, "--markdown");
    bench.submission_file = file_name(arguments, "--submit");
    bench.baseline_file = file_name(arguments, "--baseline");
    if (arguments.command() == Command::kBench) {
        bench.against_file = against_file(arguments);
        bench.block_file = block_file(arguments);
    }
    if (const auto text = arguments.text("--fail-below")) bench.fail_below = parse_percent("--fail-below", *text);
    bench.expected = expectations(arguments);
    if (arguments.command() != Command::kBench) return;
    if (bench.fail_below && !bench.baseline_file) throw InputError("--fail-below needs --baseline");
    refuse_search_without_pseudo_miner(arguments, arguments.operands());
}

/// Whether messages have the time before them: where somebody asks for it, and where what mines for long has no
/// terminal. systemd's journal has its own.
bool has_time(const Arguments& arguments) {
    const bool mines = arguments.command() == Command::kPool || arguments.command() == Command::kSolo;
    return arguments.flag("--log-time") ||
           (mines && !is_terminal(kStandardError) && std::getenv("JOURNAL_STREAM") == nullptr);
}

/// Whether the command is a run: a search that may go on for long, and that people watch.
bool is_run(std::optional<Command> command) {
    return !command || command == Command::kMine || command == Command::kPool || command == Command::kSolo;
}

/// What a benchmark does by default: all hardware threads, but for pseudo-miner, which is all but one by definition.
void use_the_whole_machine(const Arguments& arguments, Options& options) {
    DeviceOptions& device = options.devices.options;
    if (!arguments.text("--cpu-priority")) device.cpu_priority = kBenchPriority;
    const bool has_pseudo_miner = std::ranges::find(options.operands, kPseudoMiner) != options.operands.end();
    if (!device.threads && device.cpu_affinity.empty() && !has_pseudo_miner)
        device.threads = static_cast<unsigned>(cpu::usable_hardware_threads().size());
}

/// Whether the command works on a header.
bool takes_header(Command command) {
    return command == Command::kMine || command == Command::kGrind || command == Command::kVerify ||
           command == Command::kExplain;
}

}  // namespace

/// A grind may be over before timing pays; what runs for long can look again.
FormChoice form_choice(std::optional<Command> command) {
    if (command == Command::kGrind) return FormChoice::kUntimed;
    return is_run(command) ? FormChoice::kWatched : FormChoice::kTimed;
}

namespace {

Options read_values(const Arguments& arguments) {
    Options options;
    options.command = arguments.command();
    options.command_line = arguments.command_line();
    options.operands = arguments.operands();
    options.json = arguments.flag("--json");
    options.steps = arguments.flag("--steps");
    options.nonce = nonce(arguments, "--nonce");
    if (options.command == Command::kExplain) options.against = nonce(arguments, "--against");
    options.html_file = arguments.text("--html");
    options.devices.algorithm = &read_algorithm(arguments);
    options.names_algorithm = names_algorithm(arguments);
    const char* const embedded_job = options.devices.algorithm->embedded_job;
    const auto header = !options.command                     ? embedded_job
                        : options.command == Command::kBench ? arguments.text("--header").value_or(embedded_job)
                                                             : arguments.text("HEADER");
    if (!header && takes_header(*options.command))
        throw InputError("no HEADER given: hex digits, @FILE, or - for standard input");
    options.header = header.value_or("");
    options.log = {.quiet = arguments.flag("--quiet"),
                   .debug = arguments.flag("--debug"),
                   .color = !arguments.flag("--no-color"),
                   .time = has_time(arguments),
                   .hour = is_run(options.command) && is_terminal(kStandardError),
                   .file = arguments.text("--log-file").value_or("")};
    if (arguments.text("--log-file") == "") throw InputError("--log-file: expected a file name, got nothing");
    read_target(
        arguments, "--target", [](const std::string& hex) { return target_from_hex(hex_digits_of(hex)); },
        options.target);
    read_target(
        arguments, "--nbits",
        [](const std::string& hex) { return target_from_nbits(nbits_from_hex(hex_digits_of(hex))); }, options.target);
    read_target(
        arguments, "--difficulty", [](const std::string& text) { return target_from_difficulty(text); },
        options.target);
    read_search(arguments, options);
    read_devices(arguments, options.devices);
    options.devices.options.form_choice = form_choice(options.command);
    options.devices.options.software = options.command == Command::kDevices || !options.devices.devices.empty() ||
                                       options.devices.backends != DeviceSelection{}.backends;
    if (options.command == Command::kGrind) options.devices.options.threads_left_free = 0;  // as bitcoin-util
    if (options.command == Command::kBench) use_the_whole_machine(arguments, options);
    options.temperature_limits = temperature_limits(arguments);
    options.cpu_temperature_limits = cpu_temperature_limits(arguments);
    read_bench(arguments, options.bench);
    if (options.command == Command::kPool || options.command == Command::kSolo) options.mining = read_mining(arguments);
    options.mining.pool.algorithm = options.devices.algorithm;
    if (is_control(options.command)) {
        options.miner = read_miner_address(arguments);
    } else {
        options.view = read_view(arguments);
    }
    options.events = read_events(arguments);
    const bool events_on_terminal = options.events == "-" && is_terminal(kStandardOutput);
    const bool plain = arguments.flag("--plain") || is_dumb_terminal() || events_on_terminal;
    options.terminal = !plain && is_terminal(kStandardError);
    options.pause_on_battery = arguments.flag("--pause-on-battery");
    return options;
}

}  // namespace

Options read_options(const Arguments& arguments) {
    try {
        return read_values(arguments);
    } catch (const InputError& error) {
        throw InputError(error.what() + arguments.origin(error.what()));
    }
}

bool has_word(int argc, const char* const* argv, std::string_view name) {
    return std::any_of(argv, argv + argc, [name](const char* word) { return word == name; });
}

}  // namespace gpuminer
