// There are none: options/available_windows.cpp leaves their options out.
#include "cli/run/hooks.hpp"

#include <utility>

#include "host/errors.hpp"

namespace gpuminer {

Hooks::Hooks(HookCommands commands) : commands_(std::move(commands)) {
    throw InputError("commands on events cannot be run on this system");
}
Hooks::~Hooks() = default;

std::string Hooks::run(const web::Alert& /*alert*/) const { return ""; }
std::vector<std::string> Hooks::failures() { return {}; }

}  // namespace gpuminer
