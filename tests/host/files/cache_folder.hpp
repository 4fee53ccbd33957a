// A folder for what GPU backends remember, of its own for each test.
#pragma once

#include "temporary_folder.hpp"
#include "tests/environment.hpp"

namespace gpuminer::test {

struct CacheFolder {
    TemporaryFolder folder;
    Environment variable{"XDG_CACHE_HOME", folder.path().c_str()};
};

}  // namespace gpuminer::test
