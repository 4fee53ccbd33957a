// Assertions of the fuzzers; unlike assert() they are there in every build type.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

namespace gpuminer::fuzz {

inline void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

/// Every message to the user is one line of printable ASCII, bounded whatever the input was.
inline void demand_plain_sentence(std::string_view message) {
    demand(!message.empty() && message.size() < 1000, "a message has a length that a person reads");
    demand(std::all_of(message.begin(), message.end(), [](char c) { return c >= 0x20 && c <= 0x7e; }),
           "a message is one line of printable ASCII");
}

/// The password in an input is not in a message about it. One that is not long, of letters and digits, various, and
/// once in the input may be there for other reasons.
inline void demand_unseen(std::string_view password, std::string_view input, std::string_view message) {
    constexpr std::size_t kShort = 20;
    const bool plain = std::all_of(password.begin(), password.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    const bool various = std::set<char>(password.begin(), password.end()).size() >= kShort / 2;
    const bool once = input.find(password) == input.rfind(password);
    if (password.size() < kShort || !plain || !various || !once) return;
    demand(message.find(password) == std::string_view::npos, "no password is shown");
}

}  // namespace gpuminer::fuzz
