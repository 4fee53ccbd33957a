#include "cli/options/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "bench/workloads/workload_list.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/other_miners.hpp"
#include "cli/options/secrets.hpp"
#include "cli/options/shared_command.hpp"
#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr const char* kJson = "--json";

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const CommandRow& row : command_rows()) names.emplace_back(row.name);
    return names;
}

/// `shown`: the word that is none, as a message may show it.
InputError no_command(const std::string& shown, const std::string& word) {
    const std::vector<std::string> names = command_names();
    return InputError(
        fmt::format("expected a command ({}), got {}{}", fmt::join(names, ", "), shown, did_you_mean(word, names)));
}

/// What is not understood may be a password, or begin or end with one: "--passwd=SECRET", "-PSECRET".
InputError unknown_option(const std::string& word, const CommandRow* command) {
    const bool is_long = word.starts_with("--");
    const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(word, is_of_name) - word.begin());
    const std::string name = word.substr(0, is_long ? end : 2);
    const std::string shown = quoted_text(name) + (name == word ? "" : " and what follows it");
    const std::string instead = instead_of(name);
    if (!instead.empty()) return InputError(fmt::format("unknown option {}; {}", shown, instead));
    std::vector<std::string> known;
    for (const OptionRow& row : option_rows()) known.push_back(long_name(row));
    const std::string meant = is_long ? did_you_mean(name, known) : "";
    if (!meant.empty()) return InputError(fmt::format("unknown option {}{}", shown, meant));
    return InputError(fmt::format("unknown option {}; see gpuminer {}--help", shown,
                                  command != nullptr ? std::string(command->name) + " " : ""));
}

/// `help [COMMAND]` and `version` as options; --algo, as other miners call it.
std::vector<std::string> with_words_as_options(std::vector<std::string> words) {
    constexpr std::string_view kAlgo = "--algo";
    for (std::string& word : words) {
        if (word == kAlgo || word.starts_with("--algo=")) word.replace(0, kAlgo.size(), "--algorithm");
    }
    if (words.empty()) return words;
    if (words.front() == "version") words.front() = "--version";
    if (words.front() != "help") return words;
    words.erase(words.begin());
    const std::vector<std::string> names = command_names();
    if (!words.empty() && !words.front().starts_with('-') && std::ranges::find(names, words.front()) == names.end())
        throw no_command(quoted_text(words.front()), words.front());
    words.emplace_back("--help");
    return words;
}

/// "mine, grind"
std::string commands_with(Group group) {
    std::string names;
    for (const CommandRow& row : command_rows()) {
        if ((row.groups & group) != 0) names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

}  // namespace

Arguments::Arguments(int argc, const char* const* argv, const std::vector<std::string>& default_files)
    : Arguments(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)) {
    command_line_ = command_to_share(argc, argv);
    read_environment();
    limit_input();  // of configuration files
    read_config_files(default_files);
    limit_input();  // that such a file may set
}

Arguments::Arguments(std::vector<std::string> words) : app_(std::make_unique<CLI::App>()) {
    define();
    refuse_words_of_one_dash(words);
    parse(with_words_as_options(std::move(words)));
    for (const CommandRow& row : command_rows()) {
        if (app_->got_subcommand(row.name)) command_ = row.command;
    }
    if (!command_ && text("--url")) command_ = Command::kPool;
    note_secrets();
    sort_out_json_file();
    refuse_unknown();
    refuse_meaningless();
    refuse_conflicts();
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

void Arguments::parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    try {
        app_->parse(std::move(words));
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
    if (extra.size() > 1 && extra.starts_with('-')) throw unknown_option(extra, row_of(command_));
    if (command_ == Command::kPool || command_ == Command::kSolo) {  // not shown: of "-pass SECRET" it is the password
        const bool is_pool = command_ == Command::kPool;
        const bool no_server = app_->count(is_pool ? "--url" : "--node") == 0;
        throw InputError(fmt::format("{}: one argument too many, not the value of an option{}", row_of(command_)->name,
                                     !no_server ? ""
                                     : is_pool  ? "; a pool is given as -o URL"
                                                : "; a node is given as --node URL"));
    }
    const std::string shown = secrets_.empty() ? quoted_text(extra) : "something else";
    if (command_) throw InputError(fmt::format("{}: one argument too many, {}", row_of(command_)->name, shown));
    throw no_command(shown, secrets_.empty() ? extra : "");
}

/// `config check` and `config show` are about all of them.
unsigned Arguments::groups() const {
    if (is_config("check") || is_config("show")) return ~0U;
    const CommandRow* const command = row_of(command_);
    return kEverywhere | (command != nullptr ? command->groups : kGroupsWithoutCommand);
}

bool Arguments::is_config(std::string_view what) const { return command_ == Command::kConfig && text("WHAT") == what; }

void Arguments::refuse_meaningless() const {
    const CommandRow* command = row_of(command_);
    for (const OptionRow& row : option_rows()) {
        const std::string name = long_name(row);
        if ((groups() & row.group) != 0 || app_->count(name) == 0) continue;
        throw InputError(fmt::format("{} does not apply to {}; it belongs to {}", name,
                                     command != nullptr ? command->name : "mining", commands_with(row.group)));
    }
}

void Arguments::refuse_conflicts() const {
    std::vector<std::string> given;
    std::ranges::copy_if(target_options(), std::back_inserter(given),
                         [&](const char* name) { return app_->count(name) > 0; });
    if (given.size() > 1) throw InputError(fmt::format("{} and {} exclude each other", given[0], given[1]));
    if (flag("--all") && flag("--deterministic")) throw InputError("--all and --deterministic exclude each other");
    if (flag("--all") && command_ == Command::kGrind)
        throw InputError("--all does not apply to grind, which prints one header");
}

/// --time-limit holds for what is read before the work begins, too.
void Arguments::limit_input() const {
    const auto limit = text("--time-limit");
    if (!limit) return;
    try {
        limit_reading(parse_duration("--time-limit", *limit));
    } catch (const InputError&) {  // read_options() will say so, and where it comes from
    }
}

void Arguments::note_secrets() {
    for (const OptionRow& row : option_rows()) {
        if (row.environment == nullptr) continue;
        const std::string name = long_name(row);
        const std::size_t known = secrets_.size();
        std::ranges::copy_if(app_->get_option(name)->results(), std::back_inserter(secrets_),
                             [&](const std::string& value) { return is_secret(name, value); });
        if (secrets_.size() == known) continue;
        const bool is_login = row.group == kPool && row.repeated;  // the proxy's is not: --pass-file is for pools
        const char* const file = row.group == kSolo ? ", --cookie" : is_login ? ", --pass-file" : "";
        const char* const secret = row.group == kAlert ? "a URL" : "a password";
        warnings_.push_back(
            fmt::format("{} after {} stays in the shell's history, and appears in the list of processes for a moment; "
                        "{}{} or a configuration file avoids both",
                        secret, name, row.environment, file));
    }
}

CLI::Option* Arguments::find(const std::string& name) const {
    if (name.starts_with('-')) return app_->get_option_no_throw(name);  // null: this system has no such option
    const CommandRow* row = row_of(command_);
    return row != nullptr && row->argument != nullptr ? app_->get_subcommand(row->name)->get_option(row->argument)
                                                      : nullptr;
}

std::optional<std::string> Arguments::text(const std::string& name) const {
    const CLI::Option* option = find(name);
    if (option == nullptr || option->results().empty()) return std::nullopt;
    return option->results().front();
}

std::vector<std::string> Arguments::texts(const std::string& name) const {
    const CLI::Option* const option = find(name);
    return option != nullptr ? option->results() : std::vector<std::string>();
}

std::vector<Arguments::NamedText> Arguments::in_order(Group group) const {
    std::vector<NamedText> all;
    std::map<const CLI::Option*, std::size_t> taken;
    const auto take = [&](const CLI::Option* option) {
        if (option->get_group() != title_of(group) || taken[option] == option->results().size()) return false;
        all.push_back({option->get_name(), option->results()[taken[option]++]});
        return true;
    };
    for (const CLI::Option* option : of_environment_) (void)take(option);
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
    for (const std::string& result : texts(name)) {  // "true", unless a value was given: --json=false
        if (result != "true" && result != "false") throw InputError(name + ": expected no value, or true or false");
        value = result == "true";
    }
    return value;
}

std::string Arguments::origin(std::string_view message) const {
    for (const OptionRow& row : option_rows()) {
        if (!is_about(message, row)) continue;
        const auto known = origins_.find(app_->get_option(long_name(row)));
        return known != origins_.end() ? " (" + known->second + ")" : "";
    }
    return "";
}

std::vector<Arguments::Setting> Arguments::settings() const {
    std::vector<Setting> settings;
    for (const OptionRow& row : option_rows()) {
        const CLI::Option* const option = app_->get_option(long_name(row));
        if (is_of_command_line(row) || option->count() == 0) continue;
        const auto known = origins_.find(option);
        settings.push_back({&row, option->results(), known != origins_.end() ? known->second : ""});
    }
    return settings;
}

std::string Arguments::help() const { return help_text(row_of(command_)); }

}  // namespace gpuminer
