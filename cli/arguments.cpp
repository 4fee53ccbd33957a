#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "bench/workloads/workload_list.hpp"
#include "cli/option_table.hpp"
#include "host/block/header.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

constexpr const char* kJson = "--json";
constexpr const char* kTargetOptions[] = {"--target", "--nbits", "--difficulty"};

std::string command_names() {
    std::string names;
    for (const CommandRow& row : command_rows()) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

}  // namespace

Arguments::Arguments(int argc, const char* const* argv) : app_(std::make_unique<CLI::App>()) {
    for (int i = 0; i < argc; ++i) command_line_ += std::string(i == 0 ? "" : " ") + argv[i];
    define();
    parse(argc, argv);
    for (const CommandRow& row : command_rows()) {
        if (app_->got_subcommand(row.name)) command_ = row.command;
    }
    sort_out_json_file();
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
    for (const OptionRow& row : option_rows()) {
        CLI::Option* option = row.value != nullptr ? app_->add_option(row.names) : app_->add_flag(row.names);
        option->group(title_of(row.group));
        if (row.repeated) option->take_all()->allow_extra_args(false);
    }
    for (const CommandRow& row : command_rows()) {
        CLI::App* command = app_->add_subcommand(row.name);
        command->fallthrough();
        if (row.argument == nullptr) continue;
        CLI::Option* const argument = command->add_option(row.argument);
        if (row.several) argument->expected(0, -1)->allow_extra_args();
        if (row.command == Command::kBench) command->add_option(kJson)->expected(0, 1);  // a file may follow
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

/// `bench --json` may name a file, elsewhere --json is a flag. A workload's name after it is no file.
void Arguments::sort_out_json_file() {
    if (command_ != Command::kBench) return;
    const CLI::Option* const option = app_->get_subcommand(row_of(command_)->name)->get_option(kJson);
    if (option->count() == 0) return;
    const std::string value = option->results().front();
    const bool no_value = value.empty() || value == "true" || value == "-";  // the first two: what CLI11 makes of none
    if (!no_value && bench::is_workload(value)) operand_after_json_ = value;
    if (no_value || operand_after_json_) {
        app_->get_option(kJson)->add_result("true");
    } else {
        json_file_ = value;
    }
}

void Arguments::refuse_unknown() const {
    const std::vector<std::string> extras = app_->remaining(true);
    if (extras.empty()) return;
    const std::string& extra = extras.front();
    if (extra.size() > 1 && extra.starts_with('-'))
        throw InputError("unknown option " + quoted_text(extra) + "; see gpuminer --help");
    if (command_)
        throw InputError(fmt::format("{}: one argument too many, {}", row_of(command_)->name, quoted_text(extra)));
    throw InputError(fmt::format("expected a command ({}), got {}", command_names(), quoted_text(extra)));
}

void Arguments::refuse_meaningless() const {
    const CommandRow* command = row_of(command_);
    const unsigned groups = kEverywhere | (command != nullptr ? command->groups : kGroupsWithoutCommand);
    for (const OptionRow& row : option_rows()) {
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
    const std::string source = "configuration file " + quoted_text(path, 100);
    constexpr std::size_t kLongest = 1 << 16;  // bytes; ten times what all options need
    std::ifstream file(path, std::ios::binary);
    std::string content(kLongest + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file && !file.eof()) throw InputError("cannot read " + source);
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (content.size() > kLongest) throw InputError(source + ": expected at most 65536 bytes, got more");
    std::istringstream stream(content);
    std::set<const CLI::Option*> given;  // on the command line
    for (const CLI::Option* option : app_->get_options()) {
        if (option->count() > 0) given.insert(option);
    }
    const bool pool_given = app_->count("--url") > 0;
    const bool max_temp_given = app_->count("--max-temp") > 0;
    const bool target_given =
        std::ranges::any_of(kTargetOptions, [&](const char* name) { return app_->count(name) > 0; });
    try {
        const CLI::ConfigTOML format;
        for (const CLI::ConfigItem& item : format.from_config(stream)) {
            if (!item.parents.empty()) throw InputError("expected lines such as `threads = 4` and no [sections]");
            CLI::Option* option = app_->get_option_no_throw("--" + item.name);
            if (option == nullptr) throw InputError("unknown option " + quoted_text(item.name));
            const bool repeated = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
            if (given.count(option) > 0 || (option->count() > 0 && !repeated)) continue;
            if (target_given && option->get_group() == title_of(kTarget)) continue;
            if (item.name == "all" && (command_ == Command::kGrind || app_->count("--deterministic") > 0)) continue;
            if (item.name == "deterministic" && app_->count("--all") > 0) continue;
            if (item.name == "resume-temp" && max_temp_given) continue;  // it belongs to the file's own --max-temp
            // A list may come as one text or as a TOML array; CLI11 takes both apart.
            const bool is_flag = option->get_expected_min() == 0;
            if (repeated) {
                // The file's logins are for its pools; the first one will do for a pool that the command line names.
                for (const std::string& input : item.inputs) {
                    if (!pool_given || option->count() == 0) option->add_result(input);
                }
                continue;
            }
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

std::vector<std::string> Arguments::texts(const std::string& name) const { return find(name)->results(); }

std::vector<Arguments::NamedText> Arguments::in_order(Group group) const {
    std::vector<NamedText> all;
    std::map<const CLI::Option*, std::size_t> taken;
    const auto take = [&](const CLI::Option* option) {
        if (option->get_group() != title_of(group) || taken[option] == option->results().size()) return false;
        all.push_back({option->get_name(), option->results()[taken[option]++]});
        return true;
    };
    for (const CLI::Option* option : app_->parse_order()) (void)take(option);
    for (bool more = true; more;) {
        more = false;
        for (const CLI::Option* option : app_->get_options()) more = take(option) || more;
    }
    return all;
}

std::vector<std::string> Arguments::operands() const {
    const CommandRow* row = row_of(command_);
    if (row == nullptr || !row->several) return {};
    std::vector<std::string> operands = find(row->argument)->results();
    if (operand_after_json_) operands.push_back(*operand_after_json_);
    return operands;
}

bool Arguments::flag(const std::string& name) const {
    bool value = false;
    for (const std::string& result : find(name)->results()) {  // "true", unless a value was given: --json=false
        if (result != "true" && result != "false") throw InputError(name + ": expected no value, or true or false");
        value = result == "true";
    }
    return value;
}

std::string Arguments::help() const { return help_text(row_of(command_)); }

}  // namespace gpuminer
