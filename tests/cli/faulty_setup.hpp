// The setup of gpuminer_faulty's command line.
#pragma once

#include "cli/run/setup.hpp"

namespace gpuminer::test {

[[nodiscard]] ProgramSetup faulty_setup();

}  // namespace gpuminer::test
