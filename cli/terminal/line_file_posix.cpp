#include "cli/terminal/line_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gpuminer {
namespace {

constexpr mode_t kReadableByAll = 0666;  // as the umask has it
constexpr int kRoomPatience = 100;       // ms, after which a reopen may have come

int open_to_write(const std::string& path, int flags) {
    return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags, kReadableByAll);
}

bool is_pipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Takes from `text` what is written. Zero, or errno; EAGAIN: there was no room for `patience` ms (-1: for ever).
int write_some(int descriptor, std::string_view& text, int patience) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd writable{.fd = descriptor, .events = POLLOUT, .revents = 0};
            if (::poll(&writable, 1, patience) == 0) return EAGAIN;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

LineFile::LineFile(std::string path, Existing existing) : path_(std::move(path)), existing_(existing), descriptor_(-1) {
    error_ = reopen();
}

LineFile::LineFile(int descriptor)
    : existing_(Existing::kContinued), descriptor_(descriptor), error_(descriptor < 0 ? errno : 0) {}

LineFile::~LineFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Taken LineFile::write(std::string_view text) {
    if (text_.empty()) text_ = text;
    std::string_view rest = std::string_view(text_).substr(written_);
    Taken taken = Taken::kDone;
    error_ = 0;
    if (descriptor_ < 0 && !open_read_pipe()) {
        if (error_ == 0) taken = Taken::kNobody;
    } else if (error_ = write_some(descriptor_, rest, kRoomPatience); error_ == EAGAIN) {
        error_ = 0;
        taken = Taken::kNotYet;
    }
    written_ = text_.size() - rest.size();
    if (taken == Taken::kDone) {
        text_.clear();
        written_ = 0;
    }
    return taken;
}

/// The pipe under the name. Something else may be there by now, which is nothing to write to before a reopen().
bool LineFile::open_read_pipe() {
    if (!is_pipe(path_)) return false;
    descriptor_ = open_to_write(path_, 0);
    if (descriptor_ < 0 && errno != ENXIO) error_ = errno;
    return descriptor_ >= 0;
}

int LineFile::reopen() {
    const int how = existing_ == Existing::kReplaced ? O_TRUNC : O_APPEND;
    const int fresh = open_to_write(path_, O_CREAT | how), error = fresh < 0 ? errno : 0;
    const bool nobody_reads = error == ENXIO && is_pipe(path_);
    if (error != 0 && !nobody_reads) return error;
    if (const int before = std::exchange(descriptor_, fresh); before >= 0) ::close(before);
    written_ = 0;
    return 0;
}

int copy_of_standard_output() { return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); }

int write_all(int descriptor, std::string_view text) { return write_some(descriptor, text, -1); }

}  // namespace gpuminer
