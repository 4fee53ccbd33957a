// main() of gpuminer_faulty: gpuminer's command line, with what tests set by environment variables.
#include "cli/program.hpp"
#include "faulty_setup.hpp"

int main(int argc, char** argv) { return gpuminer::run_program(argc, argv, gpuminer::test::faulty_setup()); }
