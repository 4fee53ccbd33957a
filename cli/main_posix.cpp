// main() of gpuminer.
#include "cli/program.hpp"

int main(int argc, char** argv) { return gpuminer::run_program(argc, argv, {}); }
