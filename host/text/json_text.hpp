// JSON as text: what is written always is UTF-8, whatever the strings in it hold, and does nothing to a terminal; what
// comes from outside has bounds, checked by brackets, commas and colons before a parser makes anything of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// A value takes a parser some 20 to 120 bytes beside its text, so that bounds of length and of `values` bound memory.
struct JsonBounds {
    std::size_t levels;          ///< of arrays and objects within one another
    std::size_t values;          ///< of any type, at all levels
    std::size_t names = values;  ///< in one object
};

/// The bound that a text exceeds: "at most 32 levels", "at most 1000 values", "at most 128 names in an object"; empty:
/// none. One pass, no longer than to the place where the bound is exceeded or where the text can be no JSON any more:
/// whether it is one is the parser's to say.
[[nodiscard]] std::string exceeded_bound(std::string_view text, const JsonBounds& bounds);

}  // namespace gpuminer
