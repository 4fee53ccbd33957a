// Where and with what something was measured: without this a figure means nothing.
#pragma once

#include <nlohmann/json.hpp>

namespace gpuminer::bench {

/// Machine, CPU, compiler, flags, commit, time, scheduling, command line: an object of strings.
[[nodiscard]] nlohmann::ordered_json measuring_context(int argc, const char* const* argv);

/// The same as lines of text.
void print_context(const nlohmann::ordered_json& context);

}  // namespace gpuminer::bench
