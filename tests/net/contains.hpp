// The matcher for a part of a text, which Catch2 renamed in version 3.
#pragma once

#include <string>

#include "tests/catch.hpp"

namespace gpuminer::net::test {

inline auto contains(const std::string& part) {
#if CATCH_VERSION_MAJOR >= 3
    return Catch::Matchers::ContainsSubstring(part);
#else
    return Catch::Matchers::Contains(part);
#endif
}

}  // namespace gpuminer::net::test
