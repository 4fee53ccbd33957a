#include "bench/document/shareable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuminer::bench {
namespace {

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word_character(char c) { return is_hex_digit(c) || (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z'); }

/// What a kind of identity looks like: 'h' is a hex digit, every other character itself.
struct Pattern {
    std::string_view form;
    std::string_view instead;
};
constexpr Pattern kPatterns[] = {
    {"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "[UUID]"},  // NVML's and Vulkan's way to write it
    {"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "[UUID]"},      // gpu::uuid_text()'s
    {"hhhhhhhh:hh:hh.h", "[PCI address]"},               // NVML's
    {"hhhh:hh:hh.h", "[PCI address]"},
};

/// Whether the text begins with it, and no longer word does.
bool begins_with(std::string_view text, std::string_view form) {
    if (text.size() < form.size() || (text.size() > form.size() && is_word_character(text[form.size()]))) return false;
    return std::ranges::equal(text.substr(0, form.size()), form,
                              [](char c, char wanted) { return wanted == 'h' ? is_hex_digit(c) : c == wanted; });
}

/// "C:\x", "\\server\x"
bool begins_a_windows_path(std::string_view text) {
    const bool has_drive = text.size() > 3 && is_word_character(text[0]) && text.substr(1).starts_with(":\\");
    const bool has_server = text.size() > 2 && text.starts_with("\\\\");
    return (has_drive && text[3] != ' ') || (has_server && is_word_character(text[2]));
}

bool begins_a_path(std::string_view text) {
    if (begins_a_windows_path(text)) return true;
    for (const std::string_view beginning : {"/", "~/", "./", "../"}) {
        if (!text.starts_with(beginning)) continue;
        const char next = text.size() > beginning.size() ? text[beginning.size()] : ' ';
        const bool is_switch = beginning == "/" && (text.size() == 2 || text.substr(2).starts_with(' '));  // cmd /c
        return next != ' ' && next != '/' && next != '>' && !is_switch;
    }
    return false;
}

/// Length of the path: up to the quotation mark that closes it if `before` opened it, else to a blank or a mark that
/// ends a clause.
std::size_t length_of_path(std::string_view text, char before) {
    const bool quoted = before == '\'' || before == '"';
    const std::size_t closed = quoted ? text.find(before) : std::string_view::npos;
    if (closed != std::string_view::npos) return closed;
    std::size_t end = std::min(text.find_first_of(" \t\n,;)'\"<>"), text.size());
    while (end > 1 && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
    return end;
}

/// Length of the identity at the text's beginning, and what stands for it; 0: there is none.
struct Identity {
    std::size_t length = 0;
    std::string_view instead;
};

Identity identity_at(std::string_view text, char before) {
    if (is_word_character(before)) return {};
    for (const Pattern& pattern : kPatterns) {
        if (begins_with(text, pattern.form)) return {pattern.form.size(), pattern.instead};
    }
    const bool may_be_path = std::string_view(" '\"(=,:@").find(before) != std::string_view::npos;
    if (may_be_path && begins_a_path(text)) return {length_of_path(text, before), "[path]"};
    return {};
}

void clean(std::string& text) { text = without_identities(text); }

/// Every text in it, however deep.
void clean(Json& json) {
    if (json.is_string()) {
        clean(json.get_ref<std::string&>());
    } else if (json.is_structured()) {
        for (Json& element : json) clean(element);
    }
}

/// What names a machine or its user. No document of ours has it.
void leave_out_names(Json& json) {
    constexpr std::string_view kNames[] = {"host", "hostname", "host_name", "user", "username"};
    if (!json.is_structured()) return;
    if (json.is_object()) {
        for (const std::string_view name : kNames) json.erase(std::string(name));
    }
    for (Json& element : json) leave_out_names(element);
}

/// MPI's name of the machine on which a rank measured.
void number_hosts(std::vector<Measurement>& measurements) {
    std::map<std::string, std::size_t> numbers;
    for (Measurement& measurement : measurements) {
        const auto host = measurement.details.find("host");
        if (host == measurement.details.end() || !host->is_string()) continue;
        const auto& name = host->get_ref<const std::string&>();
        const bool is_numbered = name.starts_with("host ");  // no host name has a blank
        if (!is_numbered) *host = fmt::format("host {}", numbers.emplace(name, numbers.size() + 1).first->second);
    }
}

}  // namespace

std::string without_identities(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const Identity found = identity_at(text.substr(at), at == 0 ? ' ' : text[at - 1]);
        result += found.length > 0 ? found.instead : text.substr(at, 1);
        at += std::max<std::size_t>(found.length, 1);
    }
    return result;
}

void make_shareable(Document& document) {
    clean(document.command);
    for (std::vector<std::string>* sentences : {&document.failures, &document.warnings, &document.notes}) {
        for (std::string& sentence : *sentences) clean(sentence);
    }
    for (Json* facts : {&document.program, &document.machine, &document.devices, &document.job}) {
        leave_out_names(*facts);
        clean(*facts);
    }
    for (Measurement& measurement : document.measurements) clean(measurement.details);
    number_hosts(document.measurements);
}

}  // namespace gpuminer::bench
