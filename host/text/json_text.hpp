// JSON as text that always is UTF-8, whatever the strings in it hold, and does nothing to a terminal.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer {

/// `indent`: spaces a level; -1: all on one line. U+FFFD stands in place of bytes that are not UTF-8; control
/// characters and invisible ones (unicode.hpp) are written as \uXXXX. No newline at the end.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = -1);
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

/// A fact that may not be known: null where the text or the value is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);
template <class Value, class Json = nlohmann::ordered_json>  // a parameter, as the type is incomplete here
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace gpuminer
