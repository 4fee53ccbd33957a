// The parts of commands and options that this system's program does not have yet. Nobody gets here:
// options/available_windows.cpp leaves them out of the tables.
#include <cstdlib>

#include "cli/commands.hpp"
#include "cli/options/mining_options.hpp"
#include "cli/options/view_options.hpp"
#include "cli/run/hooks.hpp"
#include "cli/run/outside.hpp"

namespace gpuminer {

int run_journal(const Options& /*options*/) { std::abort(); }
int run_control(const Options& /*options*/) { std::abort(); }
int run_pool(const Options& /*options*/, SignalThread& /*signals*/, const ProgramSetup& /*setup*/) { std::abort(); }
int run_probe(const Options& /*options*/) { std::abort(); }
int run_solo(const Options& /*options*/, SignalThread& /*signals*/, const ProgramSetup& /*setup*/) { std::abort(); }

MiningOptions read_mining(const Arguments& /*arguments*/) { std::abort(); }
web::MinerAddress read_miner_address(const Arguments& /*arguments*/) { std::abort(); }

// Nobody asks for a view or for an Outside.
ViewOptions read_view(const Arguments& /*arguments*/) { return {}; }
std::unique_ptr<Outside> make_outside(const Options& /*options*/, const std::string& /*command*/) { return nullptr; }

/// Its word is a command that does not exist.
int run_hook_helper() { return kBadInput; }

}  // namespace gpuminer
