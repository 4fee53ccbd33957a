#include "mpi/streams.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace gpuminer::mpi {

RankStreams::RankStreams(bool first) {
    if (first) return;
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
        (void)::dup2(nothing, STDOUT_FILENO);
        ::close(nothing);
    }
    kept_ = ::memfd_create("standard error", MFD_CLOEXEC);
    if (kept_ < 0) return;
    standard_error_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    (void)::dup2(kept_, STDERR_FILENO);
}

RankStreams::~RankStreams() { release(); }

void RankStreams::release() {
    if (const int before = std::exchange(standard_error_, -1); before >= 0) {
        (void)::dup2(before, STDERR_FILENO);
        ::close(before);
    }
    if (const int kept = std::exchange(kept_, -1); kept >= 0) ::close(kept);
}

void RankStreams::show(const std::string& name) {
    const std::string text = kept();
    release();
    if (!text.empty()) (void)!::write(STDERR_FILENO, (name + text).data(), name.size() + text.size());
}

std::string RankStreams::kept() const {
    std::string text;
    std::array<char, 4096> piece{};
    for (off_t from = 0; kept_ >= 0;) {
        const ssize_t count = ::pread(kept_, piece.data(), piece.size(), from);
        if (count <= 0) break;
        text.append(piece.data(), static_cast<std::size_t>(count));
        from += count;
    }
    return text;
}

}  // namespace gpuminer::mpi
