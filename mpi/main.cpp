// main() of gpuminer-mpi.
#include "mpi/program.hpp"

int main(int argc, char** argv) { return gpuminer::mpi::run_mpi_program(argc, argv, {}); }
