// There is none.
#include "cli/run/sandbox.hpp"

namespace gpuminer {

bool enter_sandbox() { return false; }

}  // namespace gpuminer
