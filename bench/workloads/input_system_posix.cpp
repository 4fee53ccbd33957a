#include "bench/workloads/input_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "host/errors.hpp"

namespace gpuminer::bench {

void refuse_input(const std::string& what) {
    throw InputError(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

int new_file_in_memory() {
    const int file = memfd_create("gpuminer-bench", MFD_CLOEXEC);
    if (file < 0) refuse_input("expected a file in memory");
    return file;
}

std::array<int, 2> new_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse_input("expected a pipe");
    return ends;
}

void close_input(int file) { ::close(file); }

std::FILE* stream_of(int file) { return fdopen(dup(file), "rb"); }

std::size_t read_bytes(int file, std::span<std::uint8_t> into) {
    while (true) {
        const ssize_t got = read(file, into.data(), into.size());
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) refuse_input("expected a file that can be read");
    }
}

bool write_bytes(int file, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

void wait_for_bytes(int pipe) {
    pollfd wanted{pipe, POLLIN, 0};
    while (poll(&wanted, 1, -1) < 0 && errno == EINTR) {
    }
}

void begin_again(int file) {
    if (lseek(file, 0, SEEK_SET) != 0) refuse_input("expected a file that can be read again");
}

Mapping::Mapping(int file, std::size_t size)
    : start_(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0)), size_(size) {
    if (start_ == MAP_FAILED) refuse_input("expected a file that can be mapped");
}

Mapping::~Mapping() { munmap(start_, size_); }

}  // namespace gpuminer::bench
