// Differences between two documents, as sentences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "bench/document/compare.hpp"
#include "host/block/json_text.hpp"
#include "host/block/text.hpp"

namespace gpuminer::bench {
namespace {

/// Longest value that is shown, in characters; a header is longer.
constexpr std::size_t kMostShown = 60;
/// Facts that are not compared: load differs at any time, and a device's description repeats its other facts.
constexpr std::array<std::string_view, 3> kPassing{"load", "busy_threads", "description"};

std::string words_of(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string value_text(const Json& value) {
    if (value.is_null()) return "unknown";
    if (value.is_string()) return "'" + shortened(value.get<std::string>(), kMostShown) + "'";
    return shortened(json_text(value), kMostShown);
}

Json member(const Json& object, const std::string& name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() ? *found : Json(nullptr);
}

/// Names of both, once each.
std::vector<std::string> names_of(const Json& a, const Json& b) {
    std::vector<std::string> names;
    for (const Json* object : {&a, &b}) {
        for (const auto& [name, value] : object->items()) {
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
    }
    return names;
}

bool is_list_of_texts(const Json& value) {
    return value.is_array() && std::ranges::all_of(value, [](const Json& element) { return element.is_string(); });
}

/// Those of `a` that `b` lacks: " avx2 bmi2".
std::string missing(const Json& a, const Json& b) {
    std::string text;
    for (const Json& element : a) {
        if (std::ranges::find(b, element) == b.end()) text += " " + element.get<std::string>();
    }
    return text.empty() ? " nothing" : text;
}

/// A clock is measured: equal within a thousandth is equal.
bool same(const std::string& name, const Json& a, const Json& b) {
    constexpr double kClock = 1e-3;
    if (name == "tsc_hz" && a.is_number() && b.is_number())
        return std::abs(a.get<double>() - b.get<double>()) <= kClock * std::abs(a.get<double>());
    return a == b;
}

std::string sentence(const std::string& what, const Json& a, const Json& b) {
    if (is_list_of_texts(a) && is_list_of_texts(b))
        return fmt::format("{}: only in A:{}; only in B:{}", what, missing(a, b), missing(b, a));
    return fmt::format("{}: {} in A, {} in B", what, value_text(a), value_text(b));
}

void add_differences(std::vector<std::string>& sentences, const std::string& of, const Json& a, const Json& b) {
    for (const std::string& name : names_of(a, b)) {
        if (std::ranges::find(kPassing, name) != kPassing.end()) continue;
        const Json of_a = member(a, name);
        const Json of_b = member(b, name);
        if (!same(name, of_a, of_b)) sentences.push_back(sentence(of + ", " + words_of(name), of_a, of_b));
    }
}

std::map<std::string, Json> devices_by_name(const Document& document) {
    std::map<std::string, Json> devices;
    for (const Json& device : document.devices) {
        const Json name = member(device, "name");
        if (name.is_string()) devices[name.get<std::string>()] = device;
    }
    return devices;
}

/// One sentence for what many devices share: a processor may have hundreds of threads.
void add_devices(std::vector<std::string>& sentences, const Document& a, const Document& b) {
    const std::map<std::string, Json> of_a = devices_by_name(a);
    const std::map<std::string, Json> of_b = devices_by_name(b);
    std::vector<std::pair<std::string, std::vector<std::string>>> found;  // sentence, devices
    const auto add = [&](const std::string& text, const std::string& device) {
        const auto known = std::ranges::find(found, text, [](const auto& pair) { return pair.first; });
        if (known != found.end()) {
            known->second.push_back(device);
        } else {
            found.push_back({text, {device}});
        }
    };
    for (const auto& [name, device] : of_a) {
        const auto other = of_b.find(name);
        if (other == of_b.end()) {
            add("only in A", name);
            continue;
        }
        for (const std::string& key : names_of(device, other->second)) {
            const Json x = member(device, key);
            const Json y = member(other->second, key);
            const bool passing = std::ranges::find(kPassing, key) != kPassing.end();
            if (!passing && !same(key, x, y)) add(sentence(words_of(key), x, y), name);
        }
    }
    for (const auto& [name, device] : of_b) {
        if (!of_a.contains(name)) add("only in B", name);
    }
    for (const auto& [text, names] : found) {
        const std::string others = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
        sentences.push_back(fmt::format("device {}{}, {}", names.front(), others, text));
    }
}

/// Of workloads that both have; a part that one lacks altogether was another run.
void add_jobs(std::vector<std::string>& sentences, const Document& a, const Document& b) {
    for (const auto& [workload, job] : a.job.items()) {
        const Json other = member(b.job, workload);
        if (other.is_null() || job == other) continue;
        if (job.is_object() && other.is_object()) {
            add_differences(sentences, "job of " + workload, job, other);
        } else {
            sentences.push_back(sentence("job of " + workload, job, other));
        }
    }
}

}  // namespace

std::vector<std::string> differences_of(const Document& a, const Document& b) {
    std::vector<std::string> sentences;
    add_differences(sentences, "machine", a.machine, b.machine);
    add_differences(sentences, "program", a.program, b.program);
    add_devices(sentences, a, b);
    add_jobs(sentences, a, b);
    for (const auto& [document, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
        if (document->ending == "interrupted")
            sentences.push_back(fmt::format("{} was interrupted: rounds are missing", name));
    }
    return sentences;
}

}  // namespace gpuminer::bench
