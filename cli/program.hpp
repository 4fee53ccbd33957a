// The command line as a function: arguments in, exit code out. Every error becomes one plain sentence here.
#pragma once

#include <string>

#include "cli/run/setup.hpp"

namespace gpuminer {

/// What main() does; passwords in `argv` are overwritten. With an abandoned thread (abandonable_thread.hpp) it ends the
/// process instead of returning.
[[nodiscard]] int run_program(int argc, char** argv, const ProgramSetup& setup);

/// An error as a message, and with --json as a document. Returns the exit code.
int report_error(const std::string& message, int exit_code, bool json);

}  // namespace gpuminer
