// Arguments: options from the environment and the configuration file, added to those of the command line.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/options/config_line.hpp"
#include "cli/options/expected_line.hpp"
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
std::string content_of(const std::string& path, const std::string& source, FileKind kind) {
    constexpr std::size_t kLongest = 1 << 16;  // bytes; ten times what all options need
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    FileText file = read_file(path, kLongest, kind);
    if (!file.failure.empty()) throw InputError("cannot read " + source + ": " + file.failure);
    std::string_view text = file.text;
    while (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return std::string(text);
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

/// The options that the command line, the environment or an earlier file has given when a file is read.
struct Arguments::Given {
    std::set<const CLI::Option*> options = {};
    bool pool = false, password = false, target = false, max_temp = false;
};

Arguments::Given Arguments::given() const {
    Given given{
        .pool = text("--url").has_value(),
        .password = std::ranges::any_of(
            kPasswordOptions, [&](std::string_view name) { return text("--" + std::string(name)).has_value(); }),
        .target = std::ranges::any_of(target_options(), [&](const char* name) { return text(name).has_value(); }),
        .max_temp = text("--max-temp").has_value()};
    for (const CLI::Option* option : app_->get_options()) {
        if (option->count() > 0) given.options.insert(option);
    }
    return given;
}

/// Of those that work on what they are given, in scripts and in other people's programs.
bool Arguments::is_left_alone() const {
    return command_ == Command::kGrind || command_ == Command::kVerify || command_ == Command::kExplain ||
           (command_ == Command::kConfig && !is_config("check") && !is_config("show"));
}

bool Arguments::reads_config() const {
    const char* const none = std::getenv("GPUMINER_NO_CONFIG");
    if (flag("--no-config")) return false;
    return text("--config") || !(is_left_alone() || (none != nullptr && *none != '\0'));
}

void Arguments::complain(const std::string& source, unsigned line, const std::string& sentence) {
    const std::string place = line > 0 ? fmt::format("{}, line {}", source, line) : source;
    Complaint complaint{source, line, place + ": " + sentence};
    if (!is_config("check")) throw InputError(complaint.sentence);
    complaints_.push_back(std::move(complaint));
}

/// Elsewhere read_options() does so, of those that are in force.
void Arguments::check_values(const OptionRow& row, const std::vector<std::string>& values, const std::string& source,
                             unsigned line) {
    const std::string refusal = is_config("check") ? refusal_of(row, values) : "";
    if (!refusal.empty()) complain(source, line, refusal);
}

void Arguments::read_environment() {
    if (is_left_alone()) return;
    for (const OptionRow& row : option_rows()) {
        CLI::Option* const option = app_->get_option(long_name(row));
        if ((groups() & row.group) == 0 || option->count() > 0) continue;
        for (const std::string& variable : variables_of(row)) {
            const char* const value = std::getenv(variable.c_str());
            if (value == nullptr || *value == '\0' || option->count() > 0) continue;
            option->add_result(value);
            of_environment_.push_back(option);
            origins_[option] = variable;
            check_values(row, {value}, variable, 0);
        }
    }
}

void Arguments::read_config_files(const std::vector<std::string>& default_files) {
    if (!reads_config()) return;
    if (const auto path = text("--config")) return read_config(*path, FileKind::kAny);
    for (const std::string& path : default_files) {
        // A check also tries what is there but cannot be reached, as a link that leads nowhere: reading it says why
        // not.
        std::error_code ignored;
        const bool is_there = is_config("check") ? std::filesystem::symlink_status(path, ignored).type() !=
                                                       std::filesystem::file_type::not_found
                                                 : std::filesystem::exists(path, ignored);
        // A pipe would be waited for without an end; /dev/null is an empty file.
        if (is_there) read_config(path, std::filesystem::is_fifo(path, ignored) ? FileKind::kRegular : FileKind::kAny);
    }
}

/// What the file says holds for options that the command line does not give; it may hold options that mean
/// nothing to the command in hand.
void Arguments::read_config(const std::string& path, FileKind kind) {
    const bool is_check = is_config("check");
    const std::string source = "configuration file " + quoted_text(path, 100);
    config_files_.push_back(source);
    ConfigLines lines;
    try {
        lines = read_config_lines(content_of(path, source, kind), is_check);
    } catch (const InputError& error) {
        if (!is_check) throw;
        complaints_.push_back({source, 0, error.what()});
    }
    const std::size_t known = complaints_.size();
    for (const WrongLine& wrong : lines.wrong) complain(source, wrong.line, wrong.sentence);
    const Given before = given();
    std::string secret;  // whose owner alone should read the file; empty: there is none
    for (const TomlEntry& item : lines.entries) {
        try {
            take(item, before, source);
            if (!is_check) refuse_conflicts();
        } catch (const std::runtime_error& error) {  // ours and CLI11's alike
            complain(source, item.line, error.what());
        }
        for (const std::string& value : item.values)
            if (is_secret("--" + item.name, value) && secret != kPassword)
                secret = item.name == "webhook" ? "a webhook's URL" : kPassword;
    }
    std::ranges::stable_sort(complaints_.begin() + static_cast<std::ptrdiff_t>(known), complaints_.end(), {},
                             &Complaint::line);
    if (secret.empty()) return;
    if (auto warning = readable_by_others(path, secret)) warnings_.push_back(std::move(*warning));
}

/// Throws InputError.
void Arguments::take(const TomlEntry& item, const Given& before, const std::string& source) {
    const OptionRow* const row = option_named(item.name);
    if (row == nullptr && !item.nested) throw InputError(unknown_name(item.name, true));
    if (row == nullptr) throw InputError("expected lines such as `threads = 4` and no [sections]");
    require_values(item, row->value == nullptr);
    if (is_of_command_line(*row)) throw InputError(option_not_for_files(item.name));
    check_values(*row, item.values, source, item.line);
    CLI::Option* const option = app_->get_option(long_name(*row));
    if (before.options.count(option) > 0 || (option->count() > 0 && !row->repeated)) return;
    if (before.password && std::ranges::find(kPasswordOptions, item.name) != std::end(kPasswordOptions)) return;
    if (before.target && row->group == kTarget) return;
    if (item.name == "all" && (command_ == Command::kGrind || app_->count("--deterministic") > 0)) return;
    if (item.name == "deterministic" && app_->count("--all") > 0) return;
    if (item.name == "resume-temp" && before.max_temp) return;  // it belongs to the file's own --max-temp
    origins_[option] = fmt::format("{}, line {}", source, item.line);
    if (!row->repeated) {
        option->add_result(CLI::detail::join(item.values, ","));
        return;
    }
    // The file's logins are for its pools; the first one will do for a pool that the command line names.
    for (const std::string& value : item.values)
        if (!before.pool || option->count() == 0) option->add_result(value);
}

}  // namespace gpuminer
