#include "cli/terminal/log_sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/terminal/line_file.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

std::string formatted(spdlog::formatter& formatter, const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t buffer;
    formatter.format(message, buffer);
    return fmt::to_string(buffer);
}

std::string text_of(const OutLine& line) {
    return line.kind == OutLine::Kind::kLeftOut ? kWarningWords + line.text : line.text;
}

/// Of a terminal; nothing for messages that are nothing special.
std::string_view color_of(const spdlog::details::log_msg& message) {
    if (message.logger_name == std::string_view(kSuccesses)) return "\033[32m";        // green
    if (message.logger_name == std::string_view(kRefusals)) return "\033[31m\033[1m";  // red, bold
    switch (message.level) {
        case spdlog::level::debug: return "\033[36m";        // cyan
        case spdlog::level::warn: return "\033[33m\033[1m";  // yellow, bold
        case spdlog::level::err: return "\033[31m\033[1m";
        default: return "";
    }
}

/// Standard error, if that is a terminal: messages, and the live lines below them. A write that fails is no error.
class LiveTerminal {
public:
    void take(const OutLine& line) {
        if (line.kind == OutLine::Kind::kReopen) {
            shown_.clear();
            live_.clear();
            pinned_ = {};
            return;
        }
        make_room_after_resize();
        const std::string first = shown_.size() > 1 ? fmt::format("\r\033[{}A", shown_.size() - 1) : "\r";  // live line
        std::string text;
        if (line.kind == OutLine::Kind::kLive || line.kind == OutLine::Kind::kPinned) {
            if (line.kind == OutLine::Kind::kLive) live_ = line.text;
            if (line.kind == OutLine::Kind::kPinned) pinned_ = line.lines;
            text = live_text(first);
        } else {
            if (!shown_.empty()) text = first + erasure(shown_.size());
            shown_.clear();
            text += text_of(line) + (line.text.empty() ? "" : "\n") + live_text("\r");
        }
        if (!text.empty()) (void)write_all(kStandardError, text);
    }

private:
    /// Overwrites what is there, from the first live line on, to which `first` leads; the cursor stays on the last one.
    std::string live_text(const std::string& first) {
        const std::string pinned = pinned_ ? shown_on(kStandardError, pinned_()) : "";
        columns_ = columns_of(kStandardError);
        std::vector<std::string> lines;
        for (const std::string_view line : lines_of(pinned)) lines.emplace_back(line);
        const std::size_t room = std::max<std::size_t>(1, rows_of(kStandardError) / 2);
        // Pinned lines take what room there is, and leave the last live line.
        for (const std::string_view line : live_lines(pinned.empty() ? room : 1))
            lines.push_back(shown_on(kStandardError, fitted(line, columns_ - kSpare)));
        const std::size_t before = std::exchange(shown_, {}).size();
        std::string text = lines.empty() && before == 0 ? "" : first;
        for (const std::string& line : lines) {
            text += (shown_.empty() ? "" : "\n") + line + "\033[K";
            add_shown(width_of(line));
        }
        return shown_.size() < before ? text + erasure(before) : text;
    }

    /// A word that is longer than a row (a pinned address) goes on in the next one.
    void add_shown(std::size_t width) {
        for (; width > columns_; width -= columns_) shown_.push_back(columns_);
        shown_.push_back(width);
    }

    /// Its columns: escape sequences (here of colours alone, which end with an m) take none.
    static std::size_t width_of(std::string_view line) {
        std::size_t width = 0;
        while (!line.empty()) {
            const std::size_t escape = std::min(line.find('\033'), line.size());
            width += character_count(line.substr(0, escape));
            line.remove_prefix(std::min(line.find('m', escape), line.size() - 1) + 1);
        }
        return width;
    }

    /// Some terminals that become narrower break the live lines into more: takes all of them away, to begin anew. Where
    /// that is not sure, nothing above as many rows as were drawn is touched, as messages may stand there.
    void make_room_after_resize() {
        const std::size_t columns = columns_of(kStandardError);
        if (shown_.empty() || columns >= columns_ || !is_known_to_break_lines()) return;
        std::size_t rows = 0;
        for (const std::size_t length : shown_) rows += std::max<std::size_t>(1, (length + columns - 1) / columns);
        if (rows == shown_.size()) return;
        (void)write_all(kStandardError, fmt::format("\r\033[{}A\033[J", rows - 1));
        shown_.clear();
    }

    /// By what a terminal says of itself. xterm, GNU screen and others cut lines off instead; variables of the terminal
    /// that they were started from are left in their environment.
    static bool is_known_to_break_lines() {
        const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
        const char* const variable = std::getenv("TERM");
        const std::string_view terminal = variable != nullptr ? variable : "";
        if (is_set("XTERM_VERSION") || is_set("STY")) return false;
        if (terminal.starts_with("tmux") || terminal.starts_with("screen")) return is_set("TMUX");
        if (terminal == "alacritty" || terminal == "xterm-kitty" || terminal.starts_with("foot")) return true;
        constexpr std::array kOfTerminals = {"VTE_VERSION", "KONSOLE_VERSION", "WEZTERM_PANE"};  // TERM is xterm's
        return terminal.starts_with("xterm") && std::ranges::any_of(kOfTerminals, is_set);
    }

    /// From the cursor to the end of live lines in so many rows.
    static const char* erasure(std::size_t rows) { return rows > 1 ? "\033[J" : "\033[K"; }

    static std::vector<std::string_view> lines_of(std::string_view text) {
        std::vector<std::string_view> lines;
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            lines.push_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return lines;
    }

    /// The last ones, at most so many.
    [[nodiscard]] std::vector<std::string_view> live_lines(std::size_t most) const {
        std::vector<std::string_view> lines = lines_of(live_);
        if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
        return lines;
    }

    /// Columns that live lines leave: the last one, and what "..." takes more than "…".
    static constexpr std::size_t kSpare = 3;

    std::string live_;
    std::function<std::string()> pinned_;  ///< empty: nothing is
    std::vector<std::size_t> shown_;       ///< rows of live and pinned lines on the screen: their lengths in characters
    std::size_t columns_ = 0;              ///< of the terminal when they were drawn
};

class LogFile {
public:
    explicit LogFile(std::string path) : path_(std::move(path)), file_(path_, Existing::kContinued) {
        if (file_.error() != 0) throw InputError(failure(file_.error()));
    }

    Taken take(const OutLine& line) {
        if (line.kind == OutLine::Kind::kReopen) {
            reopen();
            return Taken::kDone;
        }
        const Taken taken = file_.write(text_of(line) + "\n");
        const int error = file_.error();
        if (error != 0 && !std::exchange(failed_, true))
            log_warning(fmt::format("the log file {} cannot be written: {}", quoted_text(path_, 100), reason(error)));
        if (error == 0) failed_ = false;
        return taken;
    }

private:
    static std::string reason(int error) { return std::generic_category().message(error); }
    [[nodiscard]] std::string failure(int error) const {
        return fmt::format("cannot write the log file {}: {}", quoted_text(path_, 100), reason(error));
    }
    void reopen() {
        if (const int error = file_.reopen(); error != 0)
            return log_warning(fmt::format("continuing with the old log file: {}", failure(error)));
        log_debug("the log file was reopened");
    }

    const std::string path_;
    LineFile file_;
    bool failed_ = false;
};

}  // namespace

TerminalSink::TerminalSink(bool color)
    : color_(color && terminal_has_colors(kStandardError)),
      writer_("standard error", [terminal = std::make_shared<LiveTerminal>()](const OutLine& line) {
          terminal->take(line);
          return Taken::kDone;
      }) {}

void TerminalSink::disable_color() {
    const std::lock_guard lock(mutex_);
    color_ = false;
}

void TerminalSink::stamp(std::unique_ptr<spdlog::formatter> formatter) {
    const std::lock_guard lock(mutex_);
    stamped_ = std::move(formatter);
}

void TerminalSink::show_live(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!live_held_ && !is_in_background(kStandardError))
        writer_.add({OutLine::Kind::kLive, shown_on(kStandardError, text)});
}

void TerminalSink::pin(std::function<std::string()> lines) {
    const std::lock_guard lock(mutex_);
    if (!lines || (!live_held_ && !is_in_background(kStandardError)))
        writer_.add({OutLine::Kind::kPinned, "", std::move(lines)});
}

void TerminalSink::hold_live(bool held) {
    const std::lock_guard lock(mutex_);
    live_held_ = held;
    if (held) writer_.add({OutLine::Kind::kPinned, ""});
    writer_.add(held ? OutLine{OutLine::Kind::kLive, ""} : OutLine{OutLine::Kind::kReopen, ""});
}

void TerminalSink::sink_it_(const spdlog::details::log_msg& message) {
    const bool is_stamped = stamped_ && message.level != spdlog::level::err;
    const std::string line = formatted(is_stamped ? *stamped_ : *formatter_, message);
    const std::string text = wrapped(shown_on(kStandardError, line), columns_of(kStandardError));
    const std::string_view color = color_ ? color_of(message) : "";
    writer_.add({OutLine::Kind::kText, color.empty() ? text : fmt::format("{}{}\033[m", color, text)});
}

void ListenerSink::listen(LogListener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

void ListenerSink::sink_it_(const spdlog::details::log_msg& message) {
    if (!listener_ || message.logger_name == std::string_view(kStatusLines)) return;
    std::string_view text(message.payload.data(), message.payload.size());
    const bool is_warning = message.level == spdlog::level::warn || message.level == spdlog::level::err;
    for (const std::string& words : {kWarningWords, kErrorWords}) {
        if (is_warning && text.starts_with(words)) text.remove_prefix(words.size());
    }
    listener_({is_warning ? Severity::kWarning : Severity::kInfo, std::string(text)});
}

FileSink::FileSink(const std::string& path)
    : writer_("the log file",
              [file = std::make_shared<LogFile>(path)](const OutLine& line) { return file->take(line); }) {}

void FileSink::sink_it_(const spdlog::details::log_msg& message) {
    writer_.add({OutLine::Kind::kText, formatted(*formatter_, message)});
}

}  // namespace gpuminer
