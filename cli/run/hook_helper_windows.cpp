// There is none: its word is a command that does not exist.
#include "cli/run/exit_codes.hpp"
#include "cli/run/hooks.hpp"

namespace gpuminer {

int run_hook_helper() { return kBadInput; }

}  // namespace gpuminer
