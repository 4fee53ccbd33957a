// A cache folder of its own for each test of a GPU backend.
#pragma once

#include "temporary_folder.hpp"
#include "tests/environment.hpp"

namespace gpuminer::test {

struct CacheFolder {
    TemporaryFolder folder;
    Environment variable{"XDG_CACHE_HOME", folder.path().c_str()};
};

}  // namespace gpuminer::test
