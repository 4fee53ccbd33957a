#include "bench/workloads/input_system.hpp"

#include <windows.h>

// After windows.h:
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include "bench/workloads/os_primitives.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

constexpr unsigned kPipe = 65'536;  ///< bytes that it holds, as Linux'

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

unsigned at_once(std::size_t size) { return static_cast<unsigned>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

void refuse_input(const std::string& what) {
    throw InputError(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

int new_file_in_memory() {
    std::array<wchar_t, MAX_PATH + 1> name{};
    errno = EACCES;
    if (GetTempFileNameW(folder_for_files().c_str(), L"gpu", 0, name.data()) == 0)
        refuse_input("expected a file in memory");
    const int file = ::_wopen(name.data(), _O_RDWR | _O_BINARY | _O_NOINHERIT | _O_TEMPORARY | _O_SHORT_LIVED);
    if (file < 0) refuse_input("expected a file in memory");
    return file;
}

std::array<int, 2> new_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::_pipe(ends.data(), kPipe, _O_BINARY | _O_NOINHERIT) != 0) refuse_input("expected a pipe");
    return ends;
}

void close_input(int file) { ::_close(file); }

std::FILE* stream_of(int file) { return ::_fdopen(::_dup(file), "rb"); }

std::size_t read_bytes(int file, std::span<std::uint8_t> into) {
    const int got = ::_read(file, into.data(), at_once(into.size()));
    if (got < 0) refuse_input("expected a file that can be read");
    return static_cast<std::size_t>(got);
}

bool write_bytes(int file, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const int written = ::_write(file, bytes.data(), at_once(bytes.size()));
        if (written < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// Nothing waits for a pipe of this kind without taking from it: asks again and again.
void wait_for_bytes(int pipe) {
    DWORD there = 0;
    while (PeekNamedPipe(handle_of(pipe), nullptr, 0, nullptr, &there, nullptr) != 0 && there == 0) Sleep(0);
}

void begin_again(int file) {
    if (::_lseeki64(file, 0, SEEK_SET) != 0) refuse_input("expected a file that can be read again");
}

Mapping::Mapping(int file, std::size_t size) : size_(size) {
    const HANDLE mapping = CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping != nullptr) {
        start_ = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
        CloseHandle(mapping);  // the view has it
    }
    errno = ENOMEM;
    if (start_ == nullptr) refuse_input("expected a file that can be mapped");
}

Mapping::~Mapping() { UnmapViewOfFile(start_); }

}  // namespace gpuminer::bench
