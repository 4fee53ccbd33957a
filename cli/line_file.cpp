#include "cli/line_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gpuminer {
namespace {

constexpr mode_t kReadableByAll = 0666;  // as the umask has it

int open_to_write(const std::string& path, int flags) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, kReadableByAll);
}

bool is_pipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

LineFile::LineFile(std::string path, int flags)
    : path_(std::move(path)), flags_(flags), descriptor_(open_to_write(path_, flags | O_NONBLOCK)) {
    if (descriptor_ >= 0) return;
    const int error = errno;
    const bool nobody_reads = error == ENXIO && is_pipe(path_);
    if (!nobody_reads) error_ = error;
}

LineFile::LineFile(int descriptor) : flags_(0), descriptor_(descriptor), error_(descriptor < 0 ? errno : 0) {}

LineFile::~LineFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

int LineFile::write(std::string_view text) {
    const int error = descriptor_ < 0 ? reopen() : 0;
    return error != 0 ? error : write_all(descriptor_, text);
}

int LineFile::reopen() {
    int fresh = -1;
    do fresh = open_to_write(path_, flags_);
    while (fresh < 0 && errno == EINTR);
    if (fresh < 0) return errno;
    if (const int before = std::exchange(descriptor_, fresh); before >= 0) ::close(before);
    return 0;
}

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

}  // namespace gpuminer
