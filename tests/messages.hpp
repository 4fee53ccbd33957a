// Checks of error messages to the user.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "host/errors.hpp"

namespace gpuminer {

/// The InputError's text that `action` throws; "" when it throws none.
template <class Action>
std::string input_error(Action&& action) {
    try {
        std::forward<Action>(action)();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Catch2's matcher for this has a different name in each of its versions.
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One line of printable ASCII, of a length that a person reads.
inline bool is_plain_sentence(const std::string& message) {
    return !message.empty() && message.size() < 500 &&
           std::all_of(message.begin(), message.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace gpuminer
