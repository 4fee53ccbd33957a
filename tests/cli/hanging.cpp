// A library that test_hanging.py preloads into gpuminer: a file system that hangs when a file is opened whose name ends
// with $GPUMINER_HANGS, and a name server that never answers for a host of that name. It says so on standard error
// first.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreserved-identifier"  // the C library's names
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void hang_at(const char* name) {
    const char* const ending = std::getenv("GPUMINER_HANGS");
    if (name == nullptr || ending == nullptr || !std::string_view(name).ends_with(ending)) return;
    const std::string line = std::string("hangs: ") + name + "\n";
    (void)!write(STDERR_FILENO, line.data(), line.size());
    while (true) pause();
}

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using Open = int(const char*, int, ...);

int open_as(const char* function, const char* path, int flags, va_list arguments) {
    hang_at(path);
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
    return real<Open>(function)(path, flags, mode);
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int descriptor = open_as("open", path, flags, arguments);
    va_end(arguments);
    return descriptor;
}

extern "C" int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int descriptor = open_as("open64", path, flags, arguments);
    va_end(arguments);
    return descriptor;
}

// What _FORTIFY_SOURCE makes of calls without O_CREAT. NOLINTNEXTLINE(*-reserved-identifier)
extern "C" int __open_2(const char* path, int flags) { return open(path, flags); }
// NOLINTNEXTLINE(*-reserved-identifier)
extern "C" int __open64_2(const char* path, int flags) { return open64(path, flags); }

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** list) {
    hang_at(host);
    return real<decltype(getaddrinfo)>("getaddrinfo")(host, service, hints, list);
}
