// The log: progress, messages and errors on standard error, and in a file where one is named. Built on spdlog.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "host/notices.hpp"

namespace gpuminer {

struct LogOptions {
    bool quiet = false;  ///< warnings and errors only
    bool debug = false;
    bool color = true;  ///< false: never; true: on a terminal, unless NO_COLOR is set
    bool time = false;  ///< date and time before each message, but not before errors, which end the program
    bool hour = false;  ///< the same with the time of day alone, where nothing else asks for more
    std::string file;   ///< appended to; empty: none
};

/// No colours from here on, whatever the terminal can do.
void disable_log_color();
/// False: by NO_COLOR or disable_log_color().
[[nodiscard]] bool colors_wanted();
/// To be called once. Throws InputError where the file cannot be written.
void start_logging(const LogOptions& options);
/// Opens the file anew under its name (after it was moved away). On failure the old one stays, with a warning.
/// May be called from any thread, as everything below, of which nothing but wait_for_log() waits for terminal or disk.
void reopen_log();
/// Until all messages are written, but no longer than a moment. False: not all of them are, and a thread hangs in a
/// write.
bool wait_for_log();

/// Gets all messages but debug ones and status lines; from any thread, to return at once, and not to log.
using LogListener = std::function<void(const Notice&)>;

/// As long as this is there. One at a time.
class LogListening {
public:
    explicit LogListening(LogListener listener);
    /// No call is under way when it returns.
    ~LogListening();
    LogListening(const LogListening&) = delete;
    LogListening& operator=(const LogListening&) = delete;
};

// A message is a line, of which only printable() of host/text/text.hpp gets out.
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_success(std::string_view message);  ///< as log_info(), green: a share or block was accepted
void log_status(std::string_view message);   ///< as log_info(): what comes now and then where there is no terminal
void log_warning(std::string_view message);
void log_refusal(std::string_view message);  ///< as log_warning(), red: one was refused
void log_error(std::string_view message);
/// What the user asked for: shown whatever the level.
void log_always(std::string_view message);

/// On a terminal alone: lines below all messages, which '\n' divides, in place of the last ones; an empty text takes
/// them away.
void log_live(std::string_view text);
/// On a terminal alone: lines as they are, escape sequences too, above the live ones, in place of the last ones; an
/// empty function takes them away. It is called whenever they are drawn, by a thread of the log's, as the terminal may
/// have another size by then. Neither a log file nor a listener gets them, so that they may hold a secret.
void pin_on_terminal(std::function<std::string()> lines);
/// While the terminal is somebody else's, there are none.
void hold_live(bool held);

}  // namespace gpuminer
