// The command config: an example of a configuration file.
#include <fmt/format.h>

#include <string>

#include "cli/commands.hpp"
#include "cli/options/config_files.hpp"
#include "cli/terminal/output.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

int run_config(const Arguments& arguments) {
    const std::string what = arguments.text("WHAT").value_or("");
    if (what != "example") {
        throw InputError(
            fmt::format("config: expected the word example, got {}", what.empty() ? "nothing" : quoted_text(what)));
    }
    Output output;
    output.write(config_example());
    output.finish();
    return kSuccess;
}

}  // namespace gpuminer
