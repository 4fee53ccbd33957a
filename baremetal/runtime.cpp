// The C library functions that compilers call implicitly. In assembly or through volatile, as the compiler would turn a
// plain loop into a call of the function itself.
#include <cstddef>

extern "C" {

// The mark that a program uses floating-point numbers; Windows' start-up code looks for it, and clang refers to it.
int _fltused = 0;  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): the name is the compiler's

void* memset(void* target, int value, std::size_t size) {
    void* at = target;
    asm volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
    return target;
}

void* memcpy(void* __restrict target, const void* __restrict source, std::size_t size) {
    void* at = target;
    asm volatile("rep movsb" : "+D"(at), "+S"(source), "+c"(size) : : "memory");
    return target;
}

std::size_t strlen(const char* text) {
    std::size_t size = 0;
    for (const volatile char* at = text; at[size] != 0;) ++size;
    return size;
}
}
