// The command config: what is wrong with the configuration, what is in force, an example of a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/config_files.hpp"
#include "cli/options/expected_line.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/secrets.hpp"
#include "cli/options/toml_file.hpp"
#include "cli/terminal/output.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

using Setting = Arguments::Setting;
using Settings = std::span<const Setting>;

/// Options that contradict each other are of one of these, and are tried without the others.
constexpr unsigned kTogether[] = {kTarget, kRange, kSearch | kEverywhere, kTemperature, kHttp, kEvents | kEverywhere};

const Setting* setting_named(Settings settings, std::string_view name) {
    const auto found = std::ranges::find_if(settings, [&](const Setting& any) { return long_name(*any.row) == name; });
    return found != settings.end() ? &*found : nullptr;
}

/// "--http", not as a part of "--http-host".
bool names_option(std::string_view message, std::string_view name) {
    for (std::size_t at = 0; (at = message.find(name, at)) != std::string_view::npos; ++at) {
        const std::string_view after = message.substr(at + name.size());
        if (after.empty() || !((after[0] >= 'a' && after[0] <= 'z') || after[0] == '-')) return true;
    }
    return false;
}

/// With the places that the options come from that it is about.
std::string with_origins(const std::string& message, Settings settings) {
    std::vector<std::string> origins;
    for (const Setting& setting : settings) {
        if (names_option(message, long_name(*setting.row)) && !setting.origin.empty())
            origins.push_back(setting.origin);
    }
    return origins.empty() ? message : fmt::format("{} ({})", message, fmt::join(origins, "; "));
}

/// What a run says against the options of some groups together; empty: nothing, or something about one of them alone.
std::string contradiction(Settings settings, unsigned groups) {
    std::vector<std::string> words = {"mine", "genesis"};
    for (const auto& [row, values, origin] : settings) {
        if ((row->group & groups) == 0) continue;
        for (const std::string& value : values) {
            if (row->value == nullptr) {
                words.push_back(long_name(*row) + "=" + value);
            } else {
                words.insert(words.end(), {long_name(*row), value});
            }
        }
    }
    try {
        (void)read_options(Arguments(std::move(words)));
    } catch (const InputError& error) {
        const bool is_about_one =
            std::ranges::any_of(option_rows(), [&](const OptionRow& row) { return is_about(error.what(), row); });
        return is_about_one ? "" : error.what();
    }
    return "";
}

/// Other algorithms have instruction sets of their own, which their backend knows.
std::string wrong_isa(Settings settings) {
    const Setting* const isa = setting_named(settings, "--isa");
    const Setting* const algorithm = setting_named(settings, "--algorithm");
    if (isa == nullptr || (algorithm != nullptr && ascii_lower(algorithm->values[0]) != "sha256d")) return "";
    const std::string& value = isa->values[0];
    const std::vector<std::string> known = words_of_list(isa->row->choices);
    if (std::ranges::find(known, ascii_lower(value.substr(0, value.find(':')))) != known.end()) return "";
    return fmt::format("--isa: expected one of {}, got {}", isa->row->choices, quoted_text(value));
}

std::vector<std::string> contradictions(Settings settings) {
    std::vector<std::string> messages = {wrong_isa(settings)};
    for (const unsigned groups : kTogether) messages.push_back(contradiction(settings, groups));
    std::vector<std::string> sentences;
    for (const std::string& message : messages) {
        std::string sentence = with_origins(message, settings);
        const bool is_known = std::ranges::find(sentences, sentence) != sentences.end();  // of two groups
        if (!message.empty() && !is_known) sentences.push_back(std::move(sentence));
    }
    return sentences;
}

/// Throws InputError.
void refuse_wrong_words(Settings settings) {
    for (const Setting& setting : settings) {
        const std::string refusal = setting.origin.empty() ? refusal_of(*setting.row, setting.values) : "";
        if (!refusal.empty()) throw InputError(refusal);
    }
}

std::string no_file(const Arguments& arguments, const ProgramSetup& setup) {
    if (!arguments.reads_config()) return "no configuration file is read (--no-config or GPUMINER_NO_CONFIG)\n";
    std::vector<std::string> places = default_config_files(setup.system_config);
    std::ranges::transform(places, places.begin(), [](const std::string& path) { return quoted_text(path, 100); });
    return fmt::format("there is no configuration file: {}\n", fmt::join(places, ", "));
}

int check_config(const Arguments& arguments, const ProgramSetup& setup, Output& output) {
    const std::vector<Setting> settings = arguments.settings();
    refuse_wrong_words(settings);
    const std::vector<Arguments::Complaint>& complaints = arguments.complaints();
    const std::vector<std::string> sentences = contradictions(settings);
    for (const auto& [source, line, sentence] : complaints) output.write(sentence + "\n");
    for (const std::string& file : arguments.config_files()) {
        if (std::ranges::find(complaints, file, &Arguments::Complaint::source) == complaints.end())
            output.write(file + ": no complaints\n");
    }
    if (arguments.config_files().empty()) output.write(no_file(arguments, setup));
    for (const std::string& sentence : sentences) output.write(sentence + "\n");
    for (const std::string& warning : arguments.warnings()) output.write("warning: " + warning + "\n");
    return complaints.empty() && sentences.empty() ? kSuccess : kBadInput;
}

std::string toml_of(const Setting& setting) {
    if (setting.row->value == nullptr) return setting.values.back();
    std::vector<std::string> values;
    for (const std::string& value : setting.values)
        values.push_back(as_toml(without_secrets(long_name(*setting.row), value)));
    return values.size() == 1 ? values[0] : fmt::format("[{}]", fmt::join(values, ", "));
}

int show_config(const Arguments& arguments, Output& output) {
    const std::vector<Setting> settings = arguments.settings();
    for (const Setting& setting : settings) {
        const std::string line = fmt::format("{} = {}", long_name(*setting.row).substr(2), toml_of(setting));
        output.write(fmt::format("{:32} # {}\n", line, setting.origin.empty() ? "command line" : setting.origin));
    }
    output.write(settings.empty() ? "# Nothing is set: every option has its default.\n"
                                  : "# Every other option has its default.\n");
    return kSuccess;
}

}  // namespace

int run_config(const Arguments& arguments, const ProgramSetup& setup) {
    const std::string what = arguments.text("WHAT").value_or("");
    const std::vector<Setting> settings = arguments.settings();
    const Setting* const json = setting_named(settings, "--json");
    if (json != nullptr && json->origin.empty()) throw InputError("config writes text alone, and takes no --json");
    Output output;
    int code = kSuccess;
    if (what == "check") {
        code = check_config(arguments, setup, output);
    } else if (what == "show") {
        code = show_config(arguments, output);
    } else if (what == "example") {
        output.write(config_example());
    } else {
        throw InputError(fmt::format("config: expected check, show or example, got {}",
                                     what.empty() ? "nothing" : quoted_text(what)));
    }
    output.finish();
    return code;
}

}  // namespace gpuminer
