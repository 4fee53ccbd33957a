// What gpuminer_faulty brings to the command line.
#pragma once

#include "cli/program.hpp"

namespace gpuminer::test {

[[nodiscard]] ProgramSetup faulty_setup();

}  // namespace gpuminer::test
