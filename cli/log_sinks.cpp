#include "cli/log_sinks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/logging.hpp"
#include "cli/terminal.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer {
namespace {

std::string formatted(spdlog::formatter& formatter, const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t buffer;
    formatter.format(message, buffer);
    return fmt::to_string(buffer);
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

/// What the terminal gets for each line; a lost one is no error.
LineWriter::Write to_standard_error() {
    return [live = false](const OutLine& line) mutable {
        const bool was_live = std::exchange(live, line.kind == OutLine::Kind::kLive && !line.text.empty());
        const bool takes_away = was_live && !live;
        if (!live && line.text.empty() && !takes_away) return;
        const std::string text = live ? "\r" + fitted(line.text, columns_of(STDERR_FILENO) - 1) + "\033[K"
                                      : (takes_away ? "\r\033[K" : "") + line.text + (line.text.empty() ? "" : "\n");
        (void)write_all(STDERR_FILENO, text);
    };
}

class LogFile {
public:
    explicit LogFile(std::string path) : path_(std::move(path)), descriptor_(open()) {
        if (descriptor_ >= 0) return;
        throw InputError(fmt::format("cannot write the log file {}: {}", quoted_text(path_, 100), reason(errno)));
    }
    ~LogFile() { ::close(descriptor_); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    void take(const OutLine& line) {
        if (line.kind == OutLine::Kind::kReopen) return reopen();
        const int error = write_all(descriptor_, line.text + "\n");
        if (error != 0 && !std::exchange(failed_, true))
            log_warning(fmt::format("the log file {} cannot be written: {}", quoted_text(path_, 100), reason(error)));
        if (error == 0) failed_ = false;
    }

private:
    static std::string reason(int error) { return std::generic_category().message(error); }
    [[nodiscard]] int open() const { return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666); }
    void reopen() {
        const int fresh = open();
        if (fresh < 0) {
            log_warning(fmt::format("going on with the old log file: cannot write the log file {}: {}",
                                    quoted_text(path_, 100), reason(errno)));
            return;
        }
        ::close(std::exchange(descriptor_, fresh));
        log_debug("the log file is open anew");
    }

    const std::string path_;
    int descriptor_;
    bool failed_ = false;
};

}  // namespace

int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // somebody who has the same pipe does not want to wait for it
            pollfd writable{.fd = descriptor, .events = POLLOUT, .revents = 0};
            (void)::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

TerminalSink::TerminalSink(bool color)
    : color_(color && terminal_has_colors(STDERR_FILENO)), writer_("standard error", to_standard_error()) {}

void TerminalSink::disable_color() {
    const std::lock_guard lock(mutex_);
    color_ = false;
}

void TerminalSink::stamp(std::unique_ptr<spdlog::formatter> formatter) {
    const std::lock_guard lock(mutex_);
    stamped_ = std::move(formatter);
}

void TerminalSink::show_live(std::string_view text) { writer_.add({OutLine::Kind::kLive, std::string(text)}); }

void TerminalSink::sink_it_(const spdlog::details::log_msg& message) {
    const bool is_stamped = stamped_ && message.level != spdlog::level::err;
    const std::string text =
        wrapped(formatted(is_stamped ? *stamped_ : *formatter_, message), columns_of(STDERR_FILENO));
    const std::string_view color = color_ ? color_of(message) : "";
    writer_.add({OutLine::Kind::kText, color.empty() ? text : fmt::format("{}{}\033[m", color, text)});
}

FileSink::FileSink(const std::string& path)
    : writer_("the log file", [file = std::make_shared<LogFile>(path)](const OutLine& line) { file->take(line); }) {}

void FileSink::sink_it_(const spdlog::details::log_msg& message) {
    writer_.add({OutLine::Kind::kText, formatted(*formatter_, message)});
}

}  // namespace gpuminer
