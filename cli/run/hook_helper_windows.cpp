// There is none.
#include <cstdio>

#include "cli/run/exit_codes.hpp"
#include "cli/run/hooks.hpp"

namespace gpuminer {

int run_hook_helper() {
    std::fputs("gpuminer: there are no commands on events on this system\n", stderr);
    return kBadInput;
}

}  // namespace gpuminer
