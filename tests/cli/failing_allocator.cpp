// A library to preload: memory as usual until the GPUMINER_FAIL_ALLOCATION-th call after main() has begun, which fails
// ("12"), or with all that follow it ("12+"). Calls on behalf of libhwloc succeed: without memory it follows null
// pointers, and has no hook for that. When the process ends, GPUMINER_COUNT_ALLOCATIONS (a file) gets the number of
// calls, and with GPUMINER_ALLOCATION_STACKS those that were the first from where they came: from a stack of callers.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreserved-identifier"  // the C library's names
#endif
#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
// glibc's own, which the functions below stand before.
void* __libc_malloc(std::size_t size);                           // NOLINT(*-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(*-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);               // NOLINT(*-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(*-reserved-identifier)
}

namespace {

std::atomic<bool> counting = false;
std::atomic<unsigned long> calls = 0;
unsigned long failing = 0;
bool and_all_later = false;

bool for_hwloc() {
    static thread_local bool looking = false;  // backtrace() itself allocates when it is first called
    if (looking) return true;
    looking = true;
    void* callers[64];
    const int depth = backtrace(callers, 64);
    bool found = false;
    for (int i = 0; i < depth && !found; ++i) {
        Dl_info library;
        found = dladdr(callers[i], &library) != 0 && std::strstr(library.dli_fname, "libhwloc") != nullptr;
    }
    looking = false;
    return found;
}

// The stacks that were met, by a hash of the innermost callers, and the call that each was first met in.
constexpr std::size_t kStacks = 1 << 16;  // more are left out
struct Stack {
    std::atomic<unsigned long> hash{0}, first_call{0};
};
Stack stacks[kStacks];
bool with_stacks = false;

void note_stack(unsigned long call) {
    static thread_local bool looking = false;
    if (looking) return;
    looking = true;
    constexpr int kCallers = 24;
    void* callers[kCallers];
    const int depth = backtrace(callers, kCallers);
    unsigned long hash = 14695981039346656037u;  // FNV-1a
    for (int i = 0; i < depth; ++i) hash = (hash ^ reinterpret_cast<unsigned long>(callers[i])) * 1099511628211u;
    for (std::size_t step = 0; step < kStacks; ++step) {
        Stack& place = stacks[(hash + step) % kStacks];
        unsigned long nobodys = 0;
        if (place.hash.compare_exchange_strong(nobodys, hash)) place.first_call = call;
        if (place.hash == hash) break;
    }
    looking = false;
}

bool fails() {
    if (!counting) return false;
    const unsigned long call = ++calls;
    if (with_stacks) note_stack(call);
    if (failing == 0 || call < failing || (call > failing && !and_all_later)) return false;
    if (for_hwloc()) return false;
    errno = ENOMEM;
    return true;
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

void write_count() {
    counting = false;
    const char* const path = std::getenv("GPUMINER_COUNT_ALLOCATIONS");
    if (path == nullptr) return;
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%lu\n", calls.load());
    for (const Stack& stack : stacks) {
        if (stack.first_call != 0) std::fprintf(file, "%lu\n", stack.first_call.load());
    }
    std::fclose(file);
}

int counted_main(int argc, char** argv, char** environment) {
    if (const char* const text = std::getenv("GPUMINER_FAIL_ALLOCATION")) {
        char* end = nullptr;
        failing = std::strtoul(text, &end, 10);
        and_all_later = *end == '+';
    }
    with_stacks = std::getenv("GPUMINER_ALLOCATION_STACKS") != nullptr;
    // Its first call opens libgcc, which must not come while the dynamic linker opens something else.
    void* caller = nullptr;
    (void)backtrace(&caller, 1);
    std::atexit(write_count);
    counting = true;
    const int code = real_main(argc, argv, environment);
    counting = false;
    return code;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) { return fails() ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    if (fails()) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result == nullptr ? ENOMEM : 0;
}

// What calls main(): NOLINTNEXTLINE(*-reserved-identifier)
int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*linker_fini)(),
                      void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    real_main = main;
    return start(counted_main, argc, argv, init, fini, linker_fini, stack_end);
}
}
