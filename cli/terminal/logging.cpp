#include "cli/terminal/logging.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/dist_sink.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include "cli/terminal/log_sinks.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

// `critical` stands for "whatever the level": nothing here is more severe than an error.
constexpr auto kAlways = spdlog::level::critical;
constexpr std::chrono::milliseconds kPatience{200};

/// The writers end each line themselves.
std::unique_ptr<spdlog::formatter> lines_of(const char* pattern) {
    return std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::local, "");
}

struct Log {
    std::shared_ptr<TerminalSink> terminal;
    std::shared_ptr<FileSink> file;  // null: none; set before other threads log
    std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks = std::make_shared<spdlog::sinks::dist_sink_mt>();
    spdlog::logger logger{"gpuminer", sinks};
    // Their names are colours for the terminal.
    spdlog::logger successes{kSuccesses, sinks}, refusals{kRefusals, sinks};
    std::shared_ptr<ListenerSink> listener = std::make_shared<ListenerSink>();
    spdlog::logger status{kStatusLines, sinks};

    bool colors = true;  // wanted

    Log() {
        const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
        colors = no_color == nullptr || *no_color == '\0';
        terminal = std::make_shared<TerminalSink>(colors);
        terminal->set_formatter(lines_of("%v"));
        terminal->set_level(spdlog::level::info);
        sinks->add_sink(terminal);
        sinks->add_sink(listener);
        for (spdlog::logger* each : {&logger, &successes, &refusals, &status}) each->set_level(spdlog::level::debug);
    }
};

Log& the_log() {
    static Log log;
    return log;
}

}  // namespace

void disable_log_color() {
    the_log().colors = false;
    the_log().terminal->disable_color();
}

bool colors_wanted() { return the_log().colors; }

void start_logging(const LogOptions& options) {
    Log& log = the_log();
    if (options.quiet) log.terminal->set_level(spdlog::level::warn);
    if (options.time) {
        log.terminal->stamp(lines_of("%Y-%m-%d %H:%M:%S %v"));
    } else if (options.hour && !options.debug) {
        log.terminal->stamp(lines_of("[%H:%M:%S] %v"));
    }
    if (options.debug) {
        log.terminal->set_level(spdlog::level::debug);
        log.terminal->set_formatter(lines_of("[%H:%M:%S.%e] %v"));
    }
    if (!options.color) disable_log_color();
    if (options.file.empty()) return;
    log.file = std::make_shared<FileSink>(options.file);
    log.file->set_formatter(lines_of("[%Y-%m-%d %H:%M:%S.%e] [%l] %v"));
    log.file->set_level(options.debug ? spdlog::level::debug : spdlog::level::info);
    log.sinks->add_sink(log.file);
}

void reopen_log() {
    if (the_log().file) the_log().file->reopen();
}

bool wait_for_log() {
    Log& log = the_log();
    const bool shown = log.terminal->wait(kPatience);
    return (!log.file || log.file->wait(kPatience)) && shown;
}

LogListening::LogListening(LogListener listener) { the_log().listener->listen(std::move(listener)); }

LogListening::~LogListening() { the_log().listener->listen({}); }

void log_debug(std::string_view message) { the_log().logger.debug(printable(message)); }
void log_info(std::string_view message) { the_log().logger.info(printable(message)); }
void log_success(std::string_view message) { the_log().successes.info(printable(message)); }
void log_status(std::string_view message) { the_log().status.info(printable(message)); }
void log_warning(std::string_view message) { the_log().logger.warn(kWarningWords + printable(message)); }
void log_refusal(std::string_view message) { the_log().refusals.warn(kWarningWords + printable(message)); }
void log_error(std::string_view message) { the_log().logger.error(kErrorWords + printable(message)); }
void log_always(std::string_view message) { the_log().logger.log(kAlways, printable(message)); }
void log_live(std::string_view text) { the_log().terminal->show_live(printable_lines(text)); }
void pin_on_terminal(std::function<std::string()> lines) {
    if (is_terminal(kStandardError)) the_log().terminal->pin(std::move(lines));
}
void hold_live(bool held) { the_log().terminal->hold_live(held); }

}  // namespace gpuminer
