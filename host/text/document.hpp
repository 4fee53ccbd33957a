// Fields that every JSON document of the program begins with.
#pragma once

#include <array>
#include <chrono>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer {

/// UTC, ISO 8601, and a zero: "2026-11-21T20:39:06Z".
using UtcText = std::array<char, 21>;
/// Takes no memory from the heap, for a program that ends for lack of it. Years 0 to 9999.
[[nodiscard]] UtcText utc_text(std::chrono::system_clock::time_point time);
[[nodiscard]] inline UtcText utc_now() { return utc_text(std::chrono::system_clock::now()); }

/// Of all formats but the benchmark's, which counts its own. It grows when a field is renamed, removed or means
/// something else.
inline constexpr int kDocumentVersion = 1;

/// {"format": "gpuminer COMMAND", "format_version": 1, "program_version": …, "time": now}
[[nodiscard]] nlohmann::ordered_json document_head(const char* command);
/// These fields, then those of `body`.
[[nodiscard]] nlohmann::ordered_json document(const char* command, const nlohmann::ordered_json& body);

}  // namespace gpuminer
