// Assertions of the fuzzers; unlike assert() they are there in every build type.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

}  // namespace gpuminer::fuzz
