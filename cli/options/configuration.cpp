// Arguments: options from the environment and the configuration file, added to those of the command line.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/options/config_line.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/secrets.hpp"
#include "cli/options/toml_file.hpp"
#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr const char* kPassword = "the password";

/// A pool's password comes from one of these.
constexpr std::string_view kPasswordOptions[] = {"pass", "pass-file", "userpass"};

/// Without the byte order marks that some editors put before it. Throws InputError.
std::string content_of(const std::string& path, const std::string& source) {
    constexpr std::size_t kLongest = 1 << 16;  // bytes; ten times what all options need
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    FileText file = read_file(path, kLongest, FileKind::kAny);
    if (!file.failure.empty()) throw InputError("cannot read " + source + ": " + file.failure);
    std::string_view text = file.text;
    while (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return std::string(text);
}

/// Those that work on what they are given, in scripts and in other people's programs.
bool is_left_alone(const std::optional<Command>& command) {
    return command == Command::kGrind || command == Command::kVerify || command == Command::kExplain ||
           command == Command::kConfig;
}

/// Of an option that is known.
bool is_refused(const std::string& name) {
    return std::ranges::any_of(option_rows(), [&](const OptionRow& row) {
        return long_name(row).substr(2) == name && is_of_command_line(row);
    });
}

/// Throws InputError for what no option takes.
void require_values(const TomlEntry& item, bool is_flag) {
    if (item.nested) throw InputError(fmt::format("{}: expected one value, or a list of them in [ ]", item.name));
    for (const std::string& value : item.values) {
        if (value.find('\0') != std::string::npos)
            throw InputError(fmt::format("{}: expected a text without \\u0000", item.name));
    }
    const bool is_truth_value = item.values.size() == 1 && (item.values[0] == "true" || item.values[0] == "false");
    if (is_flag && !is_truth_value) throw InputError(fmt::format("{}: expected true or false", item.name));
}

}  // namespace

void Arguments::read_environment() {
    if (is_left_alone(command_)) return;
    const CommandRow* const command = row_of(command_);
    for (const OptionRow& row : option_rows()) {
        const unsigned groups = kEverywhere | (command != nullptr ? command->groups : kGroupsWithoutCommand);
        CLI::Option* const option = app_->get_option(long_name(row));
        if ((groups & row.group) == 0 || option->count() > 0) continue;
        for (const std::string& variable : variables_of(row)) {
            const char* const value = std::getenv(variable.c_str());
            if (value == nullptr || *value == '\0' || option->count() > 0) continue;
            option->add_result(value);
            of_environment_.push_back(option);
            origins_[option] = variable;
        }
    }
}

void Arguments::read_config_files(const std::vector<std::string>& default_files) {
    const char* const none = std::getenv("GPUMINER_NO_CONFIG");
    if (flag("--no-config")) return;
    if (const auto path = text("--config")) return read_config(*path);
    if (is_left_alone(command_) || (none != nullptr && *none != '\0')) return;
    for (const std::string& path : default_files) {
        if (std::error_code ignored; std::filesystem::exists(path, ignored)) read_config(path);
    }
}

/// What the file says holds for options that the command line does not give; it may hold options that mean
/// nothing to the command in hand.
void Arguments::read_config(const std::string& path) {
    const std::string source = "configuration file " + quoted_text(path, 100);
    const std::string content = content_of(path, source);
    std::set<const CLI::Option*> given;  // on the command line or in the environment
    for (const CLI::Option* option : app_->get_options()) {
        if (option->count() > 0) given.insert(option);
    }
    const bool pool_given = app_->count("--url") > 0;
    const bool max_temp_given = app_->count("--max-temp") > 0;
    const bool target_given =
        std::ranges::any_of(target_options(), [&](const char* name) { return app_->count(name) > 0; });
    const bool password_given = std::ranges::any_of(
        kPasswordOptions, [&](std::string_view name) { return app_->count("--" + std::string(name)) > 0; });
    std::string secret;  // whose owner alone should read the file; empty: there is none
    std::string place = source;
    try {
        const TomlFile file = read_toml(content);
        if (file.wrong_line > 0) {
            place = fmt::format("{}, line {}", source, file.wrong_line);
            throw InputError(no_toml(content, file.wrong_line));
        }
        for (const TomlEntry& item : file.entries) {
            place = fmt::format("{}, line {}", source, item.line);
            CLI::Option* option = app_->get_option_no_throw("--" + item.name);
            if (option == nullptr && !item.nested) throw InputError(unknown_option(item.name, true));
            if (option == nullptr) throw InputError("expected lines such as `threads = 4` and no [sections]");
            require_values(item, option->get_expected_min() == 0);
            if (is_refused(item.name)) throw InputError(option_not_for_files(item.name));
            for (const std::string& value : item.values)
                if (is_secret(option->get_name(), value) && secret != kPassword)
                    secret = option->get_name() == "--webhook" ? "a webhook's URL" : kPassword;
            const bool repeated = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
            if (given.count(option) > 0 || (option->count() > 0 && !repeated)) continue;
            if (password_given && std::ranges::find(kPasswordOptions, item.name) != std::end(kPasswordOptions))
                continue;
            if (target_given && option->get_group() == title_of(kTarget)) continue;
            if (item.name == "all" && (command_ == Command::kGrind || app_->count("--deterministic") > 0)) continue;
            if (item.name == "deterministic" && app_->count("--all") > 0) continue;
            if (item.name == "resume-temp" && max_temp_given) continue;  // it belongs to the file's own --max-temp
            if (repeated) {
                // The file's logins are for its pools; the first one will do for a pool that the command line names.
                for (const std::string& value : item.values) {
                    if (!pool_given || option->count() == 0) option->add_result(value);
                    origins_[option] = place;
                }
                continue;
            }
            origins_[option] = place;
            option->add_result(CLI::detail::join(item.values, ","));
        }
        refuse_conflicts();
    } catch (const std::runtime_error& error) {  // ours and CLI11's alike
        throw InputError(place + ": " + error.what());
    }
    if (secret.empty()) return;
    if (auto warning = readable_by_others(path, secret)) warnings_.push_back(std::move(*warning));
}

}  // namespace gpuminer
