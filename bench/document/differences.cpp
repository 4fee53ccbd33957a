// Differences between two documents, as sentences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "bench/document/compare.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

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

/// A name and what it stands for in A and in B: null where one lacks it.
struct Both {
    std::string name;
    Json a, b;
};

/// Of all names, in the order of A and then of B. Not of what passes.
std::vector<Both> both_of(const Json& a, const Json& b) {
    std::vector<Both> all;
    std::map<std::string, std::size_t> places;
    for (const auto& [name, value] : a.items()) {
        if (std::ranges::find(kPassing, name) != kPassing.end()) continue;
        places.emplace(name, all.size());
        all.push_back({name, value, nullptr});
    }
    for (const auto& [name, value] : b.items()) {
        if (std::ranges::find(kPassing, name) != kPassing.end()) continue;
        const auto place = places.find(name);
        if (place == places.end()) {
            all.push_back({name, nullptr, value});
        } else {
            all[place->second].b = value;
        }
    }
    return all;
}

bool is_list_of_texts(const Json& value) {
    return value.is_array() && std::ranges::all_of(value, [](const Json& element) { return element.is_string(); });
}

/// Those of `a` that `b` lacks: " avx2 bmi2".
std::string missing(const Json& a, const Json& b) {
    std::set<std::string> there;
    for (const Json& element : b) there.insert(element.get<std::string>());
    std::string text;
    for (const Json& element : a) {
        const auto& word = element.get_ref<const std::string&>();
        if (!there.contains(word)) text += " " + word;
    }
    return text.empty() ? " nothing" : text;
}

/// A clock is measured: equal within a thousandth is equal.
bool same(const std::string& name, const Json& a, const Json& b) {
    constexpr double kClock = 1e-3;
    if (name == "tsc_hz" && a.is_number() && b.is_number())
        return std::abs(a.get<double>() - b.get<double>()) <= kClock * std::abs(a.get<double>());
    if (name == "cores" && (a.is_null() || b.is_null())) return true;  // older documents have none
    return a == b;
}

std::string sentence(const std::string& what, const Json& a, const Json& b) {
    if (is_list_of_texts(a) && is_list_of_texts(b))
        return fmt::format("{}: only in A:{}; only in B:{}", what, missing(a, b), missing(b, a));
    return fmt::format("{}: {} in A, {} in B", what, value_text(a), value_text(b));
}

void add_differences(std::vector<std::string>& sentences, const std::string& of, const Json& a, const Json& b) {
    for (const Both& both : both_of(a, b)) {
        if (!same(both.name, both.a, both.b))
            sentences.push_back(sentence(of + ", " + words_of(both.name), both.a, both.b));
    }
}

/// Documents of before ARM64 do not say what they count.
Json with_cycle_unit(Json machine) {
    if (!machine.contains("cycle_unit")) machine["cycle_unit"] = "reference cycles";
    return machine;
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
    struct Found {
        std::string sentence, first_device;
        std::size_t devices = 0;
    };
    std::vector<Found> found;
    std::map<std::string, std::size_t> places;  // in it, by sentence
    const auto add = [&](const std::string& text, const std::string& device) {
        const auto [place, is_new] = places.emplace(text, found.size());
        if (is_new) found.push_back({text, device});
        ++found[place->second].devices;
    };
    for (const auto& [name, device] : of_a) {
        const auto other = of_b.find(name);
        if (other == of_b.end()) {
            add("only in A", name);
            continue;
        }
        for (const Both& both : both_of(device, other->second)) {
            if (!same(both.name, both.a, both.b)) add(sentence(words_of(both.name), both.a, both.b), name);
        }
    }
    for (const auto& [name, device] : of_b) {
        if (!of_a.contains(name)) add("only in B", name);
    }
    for (const auto& [text, device, devices] : found) {
        const std::string others = devices > 1 ? fmt::format(" and {} more", devices - 1) : "";
        sentences.push_back(fmt::format("device {}{}, {}", device, others, text));
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
    add_differences(sentences, "machine", with_cycle_unit(a.machine), with_cycle_unit(b.machine));
    add_differences(sentences, "program", a.program, b.program);
    add_devices(sentences, a, b);
    add_jobs(sentences, a, b);
    for (const auto& [document, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
        if (document->ending == "interrupted")
            sentences.push_back(fmt::format("{} was interrupted: rounds are missing", name));
        for (const std::string& warning : document->warnings) sentences.push_back(fmt::format("{}: {}", name, warning));
    }
    return sentences;
}

}  // namespace gpuminer::bench
