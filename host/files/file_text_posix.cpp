#include "host/files/file_text.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/errors.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<Clock::time_point> reading_ends = Clock::time_point::max();

std::string reason() { return std::generic_category().message(errno); }

/// Milliseconds for poll(): a minute at most, then one looks again.
int patience() {
    constexpr std::chrono::milliseconds kLongest{60'000};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(reading_ends.load() - Clock::now());
    return static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, kLongest).count());
}

/// Until there is something to read, or the end. A pipe that had no writer yet is not at its end for poll(), as it
/// would be for read().
void wait_for_bytes(int descriptor) {
    pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
    for (;;) {
        const int milliseconds = patience();
        const int ready = ::poll(&readable, 1, milliseconds);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
        if (ready == 0 && milliseconds == 0) throw LimitError("the limit was reached before all input was read");
    }
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, FileKind kind)
    // Without O_NONBLOCK the opening of a pipe waits for somebody who writes.
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {
    struct stat facts {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &facts) != 0) {
        failure_ = reason();
    } else if (S_ISDIR(facts.st_mode)) {
        failure_ = "it is a directory";
    } else if (kind == FileKind::kRegular && !S_ISREG(facts.st_mode)) {
        failure_ = "it is not a regular file";
    }
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t InputFile::read(char* place, std::size_t count) {
    while (failure_.empty()) {
        wait_for_bytes(descriptor_);
        const ssize_t got = ::read(descriptor_, place, count);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN) failure_ = reason();
    }
    return 0;
}

void limit_reading(double seconds) {
    reading_ends = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace gpuminer
