// main() of gpuminer-mpi over devices that misbehave as told (tests/cli/faulty_backend.cpp).
#include "mpi/program.hpp"
#include "tests/cli/faulty_setup.hpp"

int main(int argc, char** argv) { return gpuminer::mpi::run_mpi_program(argc, argv, gpuminer::test::faulty_setup()); }
