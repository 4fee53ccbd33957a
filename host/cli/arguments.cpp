#include "host/cli/arguments.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "host/errors.hpp"
#include "host/header.hpp"
#include "host/hex.hpp"

namespace gpuminer {
namespace {

// Groups of options; a command says which of them mean something to it.
enum Group : unsigned { kTarget = 1, kSearch = 2, kDevice = 4, kExplain = 8, kEverywhere = 16 };
struct GroupRow {
    Group group;
    const char* title;
};
constexpr GroupRow kGroups[] = {
    {kTarget, "Target"}, {kSearch, "Search"}, {kDevice, "Devices"}, {kExplain, "Explain"}, {kEverywhere, "Everywhere"}};

struct CommandRow {
    Command command;
    const char* name;
    const char* argument;  // nullptr: none
    unsigned groups;
    const char* description;
};
constexpr CommandRow kCommands[] = {
    {Command::kMine, "mine", "HEADER", kTarget | kSearch | kDevice, "find nonces for one header"},
    {Command::kGrind, "grind", "HEADER", kTarget | kSearch | kDevice,
     "print the solved header and nothing else, as `bitcoin-util grind` does"},
    {Command::kVerify, "verify", "HEADER", kTarget, "check one header and say each of its fields"},
    {Command::kDevices, "devices", nullptr, kDevice, "list every device, usable or not, and why not"},
    {Command::kExplain, "explain", "HEADER", kExplain, "show each step of the double hash, for people who learn"},
};
constexpr unsigned kGroupsWithoutCommand = kTarget | kSearch | kDevice;  // the embedded job is mined

struct OptionRow {
    Group group;
    const char* names;
    const char* value;  // nullptr: a flag
    const char* description;
};
constexpr OptionRow kOptions[] = {
    {kTarget, "--target", "HEX64", "a hit's hash is at most this number, display order (default: the header's nBits)"},
    {kTarget, "--nbits", "HEX8", "the target in compact form"},
    {kTarget, "--difficulty", "X", "the target as a difficulty"},
    {kSearch, "--start", "N", "first nonce, decimal or 0x… (default 0)"},
    {kSearch, "--end", "N", "last nonce, inclusive (default 0xffffffff)"},
    {kSearch, "--all", nullptr, "every hit of the range in ascending order, instead of the first one found"},
    {kSearch, "--max-results", "N", "at most so many with --all (default 1000000)"},
    {kSearch, "--deterministic", nullptr, "the lowest hit, whatever the number of threads and devices"},
    {kSearch, "--partition", "HOW",
     "static: one piece per device, once all are open; dynamic: batches from a shared cursor (default)"},
    {kSearch, "--roll-versions", "MASK", "search these bits of the version as well (BIP 320: within 1fffe000)"},
    {kSearch, "--time-limit", "SECONDS", "stop after this time (exit code 3)"},
    {kDevice, "--backend", "LIST", "auto, cpu, cuda, opencl, vulkan (default auto)"},
    {kDevice, "-d,--devices", "LIST", "names or numbers as `gpuminer devices` prints them"},
    {kDevice, "-t,--threads", "N", "CPU threads (default: all hardware threads minus one, at least one)"},
    {kDevice, "--isa", "NAME", "auto, scalar, sse41, avx2, avx512, shani (default auto: the fastest here)"},
    {kDevice, "--cpu-affinity", "LIST", "hardware threads to run on, such as 0,2-5"},
    {kDevice, "--cpu-priority", "N", "0 idle, 1 below normal (default), 2 normal … 5 highest"},
    {kDevice, "-i,--intensity", "N",
     "batches of 2^N hashes instead of tuned ones; a smaller N keeps a desktop responsive"},
    {kDevice, "--max-temp", "C", "pause a GPU that gets this hot, 30 to 110 degrees Celsius"},
    {kDevice, "--resume-temp", "C", "and let it go on at this temperature or less (default 10 below)"},
    {kDevice, "--retune", nullptr, "measure GPU kernel variants again"},
    {kExplain, "--steps", nullptr, "each round of each compression"},
    {kEverywhere, "--json", nullptr, "one JSON document on standard output"},
    {kEverywhere, "-q,--quiet", nullptr, "warnings and errors only, no progress"},
    {kEverywhere, "-D,--debug", nullptr, "more messages"},
    {kEverywhere, "--no-color", nullptr, "no colours (as NO_COLOR in the environment)"},
    {kEverywhere, "-c,--config", "FILE", "options from a file, in lines such as `threads = 4`"},
    {kEverywhere, "--log-file", "FILE", "append messages to a file (SIGHUP opens it anew)"},
    {kEverywhere, "-V,--version", nullptr, "the version"},
    {kEverywhere, "-h,--help", nullptr, "this help; with a command, the help for it"},
};
constexpr const char* kTargetOptions[] = {"--target", "--nbits", "--difficulty"};

const CommandRow* row_of(std::optional<Command> command) {
    const auto row = std::ranges::find_if(kCommands, [&](const CommandRow& any) { return any.command == command; });
    return row != std::end(kCommands) ? &*row : nullptr;
}

const char* title_of(Group group) {
    return std::ranges::find_if(kGroups, [&](const GroupRow& row) { return row.group == group; })->title;
}

std::string command_names() {
    std::string names;
    for (const CommandRow& row : kCommands) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

}  // namespace

Arguments::Arguments(int argc, const char* const* argv) : app_(std::make_unique<CLI::App>()) {
    define();
    parse(argc, argv);
    for (const CommandRow& row : kCommands) {
        if (app_->got_subcommand(row.name)) command_ = row.command;
    }
    refuse_unknown();
    refuse_meaningless();
    refuse_conflicts();
    if (const auto path = text("--config")) read_config(*path);
}

Arguments::~Arguments() = default;

/// All options hang on the root and commands fall through to it, so that they may stand before or after the
/// command. CLI11 sees only texts: what they mean, and every message about that, is ours.
void Arguments::define() {
    app_->set_help_flag();  // an ordinary flag in our table instead
    app_->require_subcommand(0, 1);
    app_->allow_extras();
    for (const OptionRow& row : kOptions) {
        CLI::Option* option = row.value != nullptr ? app_->add_option(row.names) : app_->add_flag(row.names);
        option->group(title_of(row.group));
    }
    for (const CommandRow& row : kCommands) {
        CLI::App* command = app_->add_subcommand(row.name);
        command->fallthrough();
        if (row.argument != nullptr) command->add_option(row.argument);
    }
}

void Arguments::parse(int argc, const char* const* argv) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        const std::string name = message.substr(0, message.find(':'));
        throw InputError(name.starts_with('-') ? name + ": expected exactly one value" : message);
    } catch (const CLI::ParseError& error) {
        throw InputError(error.what());
    }
}

void Arguments::refuse_unknown() const {
    const std::vector<std::string> extras = app_->remaining(true);
    if (extras.empty()) return;
    const std::string& extra = extras.front();
    if (extra.size() > 1 && extra.starts_with('-'))
        throw InputError("unknown option " + gpuminer::quoted(extra) + "; see gpuminer --help");
    if (command_)
        throw InputError(fmt::format("{}: one argument too many, {}", row_of(command_)->name, gpuminer::quoted(extra)));
    throw InputError(fmt::format("expected a command ({}), got {}", command_names(), gpuminer::quoted(extra)));
}

void Arguments::refuse_meaningless() const {
    const CommandRow* command = row_of(command_);
    const unsigned groups = kEverywhere | (command != nullptr ? command->groups : kGroupsWithoutCommand);
    for (const OptionRow& row : kOptions) {
        const std::string name = std::string(row.names).substr(std::string(row.names).find("--"));
        if ((groups & row.group) != 0 || app_->count(name) == 0) continue;
        throw InputError(fmt::format("{} has no meaning for {}", name, command != nullptr ? command->name : "mining"));
    }
}

void Arguments::refuse_conflicts() const {
    std::vector<std::string> given;
    std::ranges::copy_if(kTargetOptions, std::back_inserter(given),
                         [&](const char* name) { return app_->count(name) > 0; });
    if (given.size() > 1) throw InputError(fmt::format("expected one target, got both {} and {}", given[0], given[1]));
    if (flag("--all") && flag("--deterministic"))
        throw InputError("expected either --all or --deterministic, got both");
    if (flag("--all") && command_ == Command::kGrind)
        throw InputError("--all has no meaning for grind, which prints one header");
}

/// What the file says holds for options that the command line does not give; it may hold options that mean
/// nothing to the command in hand.
void Arguments::read_config(const std::string& path) {
    const std::string source = "configuration file " + gpuminer::quoted(path, 100);
    constexpr std::size_t kLongest = 1 << 16;  // bytes; ten times what all options need
    std::ifstream file(path, std::ios::binary);
    std::string content(kLongest + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file && !file.eof()) throw InputError("cannot read " + source);
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (content.size() > kLongest) throw InputError(source + ": expected at most 65536 bytes, got more");
    std::istringstream stream(content);
    const bool max_temp_given = app_->count("--max-temp") > 0;
    const bool target_given =
        std::ranges::any_of(kTargetOptions, [&](const char* name) { return app_->count(name) > 0; });
    try {
        const CLI::ConfigTOML format;
        for (const CLI::ConfigItem& item : format.from_config(stream)) {
            if (!item.parents.empty()) throw InputError("expected lines such as `threads = 4` and no [sections]");
            CLI::Option* option = app_->get_option_no_throw("--" + item.name);
            if (option == nullptr) throw InputError("unknown option " + gpuminer::quoted(item.name));
            if (option->count() > 0 || (target_given && option->get_group() == title_of(kTarget))) continue;
            if (item.name == "all" && (command_ == Command::kGrind || app_->count("--deterministic") > 0)) continue;
            if (item.name == "deterministic" && app_->count("--all") > 0) continue;
            if (item.name == "resume-temp" && max_temp_given) continue;  // it belongs to the file's own --max-temp
            // A list may come as one text or as a TOML array; CLI11 takes both apart.
            const bool is_flag = option->get_expected_min() == 0;
            option->add_result(is_flag ? option->get_flag_value(item.name, format.to_flag(item))
                                       : CLI::detail::join(item.inputs, ","));
        }
        refuse_conflicts();
    } catch (const std::runtime_error& error) {  // ours and CLI11's alike
        throw InputError(source + ": " + error.what());
    }
}

CLI::Option* Arguments::find(const std::string& name) const {
    if (name.starts_with('-')) return app_->get_option(name);
    const CommandRow* row = row_of(command_);
    return row != nullptr && row->argument != nullptr ? app_->get_subcommand(row->name)->get_option(row->argument)
                                                      : nullptr;
}

std::optional<std::string> Arguments::text(const std::string& name) const {
    const CLI::Option* option = find(name);
    if (option == nullptr || option->results().empty()) return std::nullopt;
    return option->results().front();
}

bool Arguments::flag(const std::string& name) const {
    bool value = false;
    for (const std::string& result : find(name)->results()) {  // "true", unless a value was given: --json=false
        if (result != "true" && result != "false") throw InputError(name + ": expected no value, or true or false");
        value = result == "true";
    }
    return value;
}

std::string Arguments::help() const {
    const auto line = [](const std::string& left, const char* right) {
        return fmt::format("  {:26} {}\n", left, right);
    };
    const CommandRow* command = row_of(command_);
    std::string text;
    if (command != nullptr) {
        text = fmt::format("gpuminer {}: {}\n\nUsage: gpuminer {} {}[options]\n", command->name, command->description,
                           command->name, command->argument != nullptr ? "HEADER " : "");
    } else {
        text =
            "gpuminer: find the nonce of a Bitcoin block header (SHA-256d)\n\n"
            "Usage: gpuminer [options]             mine the embedded job, real block 100000\n"
            "       gpuminer COMMAND [options]\n\nCommands:\n";
        for (const CommandRow& row : kCommands) {
            text += line(row.argument != nullptr ? fmt::format("{} {}", row.name, row.argument) : row.name,
                         row.description);
        }
    }
    if (command == nullptr || command->argument != nullptr) {
        text +=
            "\nHEADER is 152 hex digits (the nonce still to be found), 160 hex digits, @FILE, - (standard\n"
            "input), or the name of a real block that the program carries:\n";
        for (const EmbeddedBlock& block : embedded_blocks()) text += line(block.name, block.description);
    }
    const unsigned groups = kEverywhere | (command != nullptr ? command->groups : ~0U);
    for (const GroupRow& group : kGroups) {
        if ((groups & group.group) == 0) continue;
        text += fmt::format("\n{}:\n", group.title);
        for (const OptionRow& row : kOptions) {
            if (row.group != group.group) continue;
            text +=
                line(row.value != nullptr ? fmt::format("{} {}", row.names, row.value) : row.names, row.description);
        }
    }
    return text;
}

}  // namespace gpuminer
