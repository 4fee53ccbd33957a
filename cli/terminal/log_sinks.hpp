// Log destinations: standard error, with live lines below the messages, and a file; never blocking.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

#include "cli/terminal/line_writer.hpp"
#include "cli/terminal/logging.hpp"

namespace gpuminer {

/// Names of loggers whose messages have colours of their own on a terminal: what was accepted, what was refused.
inline constexpr const char *kSuccesses = "successes", *kRefusals = "refusals";
/// And of one whose messages come now and then where there is no terminal.
inline constexpr const char* kStatusLines = "status";
/// How warnings and errors begin.
inline const std::string kWarningWords = "gpuminer: warning: ", kErrorWords = "gpuminer: ";

/// Standard error. Messages move its live lines down.
class TerminalSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// `color`: as far as the terminal can.
    explicit TerminalSink(bool color);
    void disable_color();
    /// How messages are written from here on that are no errors.
    void stamp(std::unique_ptr<spdlog::formatter> formatter);
    /// Shows lines, which '\n' divides, in place of the last ones; an empty text takes them away. Nothing happens in
    /// the background.
    void show_live(std::string_view text);
    /// Shows lines as they are above the live ones, in place of the last pinned ones; an empty function takes them
    /// away.
    void pin(std::function<std::string()> lines);
    /// None are shown until they are let go; by then others may have written on the terminal.
    void hold_live(bool held);
    [[nodiscard]] bool wait(std::chrono::milliseconds patience) { return writer_.wait(patience); }

private:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override {}

    bool color_;
    bool live_held_ = false;
    std::unique_ptr<spdlog::formatter> stamped_;  ///< null: they are as others
    LineWriter writer_;
};

/// For LogListening.
class ListenerSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    ListenerSink() { set_level(spdlog::level::info); }
    void listen(LogListener listener);

private:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override {}

    LogListener listener_;  ///< may be empty
};

class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// Throws InputError where it cannot be opened. A pipe may get its reader later.
    explicit FileSink(const std::string& path);
    /// Under its name, which may be a new file's by now. What comes of it is logged.
    void reopen() { writer_.add({OutLine::Kind::kReopen, ""}); }
    [[nodiscard]] bool wait(std::chrono::milliseconds patience) { return writer_.wait(patience); }

private:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override {}

    LineWriter writer_;
};

}  // namespace gpuminer
