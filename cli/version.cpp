#include "cli/version.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/options/available.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;

/// As found when the program was configured.
constexpr std::pair<const char*, const char*> kLibraries[] = GPUMINER_LIBRARIES;

std::vector<std::string> names_of(Backends backends) {
    std::vector<std::string> names;
    for (const Backend* backend : backends) {
        if (backend->algorithm == &kSha256d) names.emplace_back(backend->name);  // of others the CPU's, once more
    }
    return names;
}

}  // namespace

std::string version_text(Backends backends) {
    std::vector<std::string> libraries;
    for (const auto& [name, version] : kLibraries) libraries.push_back(fmt::format("{} {}", name, version));
    return fmt::format(
        "gpuminer {}\ncommit {}\nfor {}, built by {} with {}\nbackends: {}\nlibraries: {}\nlicence: MIT\n{}", kVersion,
        kCommit, GPUMINER_TARGET, kCompiler, kBuildFlags, fmt::join(names_of(backends), ", "),
        fmt::join(libraries, ", "), system_note());
}

std::string version_json(Backends backends) {
    Json libraries = Json::object();
    for (const auto& [name, version] : kLibraries) libraries[name] = version;
    return json_text(document("version", {{"commit", kCommit},
                                          {"target", GPUMINER_TARGET},
                                          {"compiler", kCompiler},
                                          {"flags", kBuildFlags},
                                          {"backends", names_of(backends)},
                                          {"libraries", std::move(libraries)},
                                          {"licence", "MIT"}}),
                     2) +
           "\n";
}

}  // namespace gpuminer
