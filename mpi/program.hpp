// gpuminer-mpi as a function: gpuminer's command line, in each of a job's ranks.
#pragma once

#include "cli/program.hpp"

namespace gpuminer::mpi {

/// What main() does. `setup`: as run_program()'s, but for what it runs.
[[nodiscard]] int run_mpi_program(int argc, char** argv, ProgramSetup setup);

}  // namespace gpuminer::mpi
