// A library preloaded into gpuminer: a file system that hangs as a test says. GPUMINER_SLOW_DISK names the files on it,
// by how their paths begin, and GPUMINER_SLOW_DISK_CALLS a file with the calls that hang now: "open", "write", "fsync".
// A call that hangs goes on once its name is gone from that file.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

// By a system call of its own: the functions of this file are not to be called for it.
std::string calls_that_hang() {
    const char* const path = std::getenv("GPUMINER_SLOW_DISK_CALLS");
    const long file = path == nullptr ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return "";
    char text[100];
    const ssize_t size = read(static_cast<int>(file), text, sizeof text);
    close(static_cast<int>(file));
    return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
}

bool is_on_it(const char* path) {
    const char* const begin = std::getenv("GPUMINER_SLOW_DISK");
    return begin != nullptr && std::strncmp(path, begin, std::strlen(begin)) == 0;
}

void hang(const char* path, const char* call) {
    while (is_on_it(path) && calls_that_hang().find(call) != std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void hang(int descriptor, const char* call) {
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), path, sizeof path - 1);
    if (size < 0) return;
    path[size] = '\0';
    hang(path, call);
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int open_now(const char* path, int flags, mode_t mode) {
    hang(path, "open");
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

// The mode is there where a file may be made; else what is read in its place is not used.
extern "C" int open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_now(path, flags, mode);
}

extern "C" int open64(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_now(path, flags | O_LARGEFILE, mode);
}

extern "C" ssize_t write(int descriptor, const void* bytes, size_t size) {
    hang(descriptor, "write");
    return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

extern "C" int fsync(int descriptor) {
    hang(descriptor, "fsync");
    return next<int(int)>("fsync")(descriptor);
}
