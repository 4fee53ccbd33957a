// The option --events.
#include "cli/options/view_options.hpp"
#include "host/errors.hpp"

namespace gpuminer {

std::string read_events(const Arguments& arguments) {
    const bool is_clients = arguments.command() == Command::kPool || arguments.command() == Command::kSolo;
    const bool is_of_command_line = arguments.origin("--events:").empty();
    if (!is_clients && !is_of_command_line) return "";
    const auto file = arguments.text("--events");
    if (file == "") throw InputError("--events: expected a file name or -, got nothing");
    if (file == "-" && arguments.flag("--json"))
        throw InputError("--json and --events - exclude each other: the last event has the same document");
    return file.value_or("");
}

}  // namespace gpuminer
