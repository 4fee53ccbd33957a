#include "cli/logging.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <system_error>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "host/mutex.hpp"

namespace gpuminer {
namespace {

using StderrSink = spdlog::sinks::ansicolor_stderr_sink_mt;
using FileSink = spdlog::sinks::basic_file_sink_mt;

// `critical` stands for "whatever the level": nothing here is more severe than an error.
constexpr auto kAlways = spdlog::level::critical;

struct Log {
    std::shared_ptr<StderrSink> terminal;
    std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks = std::make_shared<spdlog::sinks::dist_sink_mt>();
    spdlog::logger logger{"gpuminer", sinks};
    Mutex file_mutex;
    std::string file GPUMINER_GUARDED_BY(file_mutex);

    Log() {
        const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
        const bool wanted = no_color == nullptr || *no_color == '\0';
        terminal = std::make_shared<StderrSink>(wanted ? spdlog::color_mode::automatic : spdlog::color_mode::never);
        terminal->set_color(kAlways, "");
        terminal->set_color(spdlog::level::info, "");
        terminal->set_pattern("%^%v%$");
        sinks->add_sink(terminal);
        logger.set_level(spdlog::level::debug);
        terminal->set_level(spdlog::level::info);
        logger.flush_on(spdlog::level::debug);
    }
};

Log& the_log() {
    static Log log;
    return log;
}

/// Throws InputError.
std::shared_ptr<FileSink> open_file(const std::string& path, bool debug) {
    // spdlog would make missing folders and give no reason; so a look before.
    std::FILE* probe = std::fopen(path.c_str(), "ab");
    if (probe == nullptr) {
        throw InputError(fmt::format("cannot write the log file {}: {}", quoted_text(path, 100),
                                     std::generic_category().message(errno)));
    }
    std::fclose(probe);
    auto sink = std::make_shared<FileSink>(path);
    sink->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%l] %v");
    sink->set_level(debug ? spdlog::level::debug : spdlog::level::info);
    return sink;
}

bool debug_wanted() { return the_log().terminal->level() == spdlog::level::debug; }

}  // namespace

void disable_log_color() { the_log().terminal->set_color_mode(spdlog::color_mode::never); }

void start_logging(const LogOptions& options) {
    Log& log = the_log();
    if (options.quiet) log.terminal->set_level(spdlog::level::warn);
    if (options.debug) {
        log.terminal->set_level(spdlog::level::debug);
        log.terminal->set_pattern("%^[%H:%M:%S.%e] %v%$");
    }
    if (!options.color) disable_log_color();
    if (options.file.empty()) return;
    const MutexLock lock(log.file_mutex);
    log.sinks->add_sink(open_file(options.file, options.debug));
    log.file = options.file;
}

void reopen_log() {
    Log& log = the_log();
    const MutexLock lock(log.file_mutex);
    if (log.file.empty()) return;
    try {
        auto fresh = open_file(log.file, debug_wanted());
        log.sinks->set_sinks({log.terminal, std::move(fresh)});
        log_debug("the log file is open anew");
    } catch (const std::exception& error) {
        log_warning("going on with the old log file: " + std::string(error.what()));
    }
}

void log_debug(std::string_view message) { the_log().logger.debug(printable(message)); }
void log_info(std::string_view message) { the_log().logger.info(printable(message)); }
void log_warning(std::string_view message) { the_log().logger.warn("gpuminer: warning: " + printable(message)); }
void log_error(std::string_view message) { the_log().logger.error("gpuminer: " + printable(message)); }
void log_always(std::string_view message) { the_log().logger.log(kAlways, printable(message)); }

}  // namespace gpuminer
