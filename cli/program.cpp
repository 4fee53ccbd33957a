#include "cli/program.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/config_files.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/secrets.hpp"
#include "cli/out_of_memory.hpp"
#include "cli/report/report.hpp"
#include "cli/run/hooks.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/output.hpp"
#include "cli/version.hpp"
#include "cpu/machine/topology.hpp"
#include "host/abandonable_thread.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

int run(int argc, char** argv, const ProgramSetup& setup, bool& json) {
    SignalThread signals;  // before any other thread
    const bool has_files = option_named("config") != nullptr;
    const Arguments arguments(argc, argv,
                              has_files ? default_config_files(setup.system_config) : std::vector<std::string>());
    hide({argv, static_cast<std::size_t>(argc)}, arguments.secrets());
    json = arguments.flag("--json");
    if (json) Output::expect_document();
    if (arguments.flag("--help") || arguments.flag("--version")) {
        Output output;
        output.write(arguments.flag("--help") ? setup.help + arguments.help()
                     : json                   ? version_json(built_in_backends())
                                              : version_text(built_in_backends()));
        output.finish();
        return kSuccess;
    }
    if (arguments.command() == Command::kConfig) return run_config(arguments, setup);
    const Options options = read_options(arguments);
    start_logging(options.log);
    return (setup.run != nullptr ? setup.run : run_command)(options, signals, setup);
}

int run_and_report(int argc, char** argv, const ProgramSetup& setup) {
    bool json = has_word(argc, argv, "--json");
    end_when_out_of_memory(json);
    if (has_word(argc, argv, "--no-color")) disable_log_color();
    try {
        return run(argc, argv, setup, json);
    } catch (const ClosedPipeError&) {
        return kClosedPipe;
    } catch (const InputError& error) {
        return report_error(error.what(), kBadInput, json);
    } catch (const LimitError& error) {
        return report_error(error.what(), kUnfinished, json);
    } catch (const NoDeviceError& error) {
        return report_error(error.what(), kNoDevice, json);
    } catch (const NetworkError& error) {
        return report_error(error.what(), kServerUnreachable, json);
    } catch (const std::bad_alloc&) {  // of a library that does without operator new
        return report_error(kOutOfMemory, kDeviceFailed, json);
    } catch (const std::system_error& error) {
        return report_error(out_of_resources(error) ? kOutOfThreads : error.what(), kDeviceFailed, json);
    } catch (const std::exception& error) {
        return report_error(error.what(), kDeviceFailed, json);
    }
}

}  // namespace

int report_error(const std::string& message, int exit_code, bool json) {
    log_error(message);
    if (!json) return exit_code;
    Output::expect_document();
    try {
        Output output;
        output.write(error_json(message, exit_code));
        output.finish();
    } catch (const std::exception&) {  // standard error has the sentence, and there is nobody else to tell
    }
    return exit_code;
}

int run_program(int argc, char** argv, const ProgramSetup& setup) {
    occupy_closed_standard_streams();
    cpu::set_hwloc_variables();
    if (argc == 2 && argv[1] == kHookHelper) return run_hook_helper();
    const int exit_code = run_and_report(argc, argv, setup);
    // With a thread still in a driver, nothing that drivers do at a process's end is to run. All output is flushed, but
    // for messages that standard error or the log file does not take.
    if (!wait_for_log() || any_abandoned_threads()) leave_at_once(exit_code);
    return exit_code;
}

}  // namespace gpuminer
