#include <fmt/format.h>
#include <windows.h>

#include "host/system/shared_library.hpp"

namespace gpuminer {
namespace {

HMODULE module_of(void* handle) { return static_cast<HMODULE>(handle); }

/// Not in Windows' own words, which are in the user's language and its code page.
std::string why_not(const char* name, DWORD error) {
    return error == ERROR_MOD_NOT_FOUND ? fmt::format("{}: not found", name)
                                        : fmt::format("{}: Windows' error {}", name, error);
}

}  // namespace

/// Of the system's folder alone: a library of that name beside the program, or where it was started, may be anybody's.
SharedLibrary::SharedLibrary(const char* name, Resolve /*resolve*/)
    : handle_(LoadLibraryExA(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {
    if (handle_ == nullptr) failure_ = why_not(name, GetLastError());
}

void* SharedLibrary::symbol(const char* name) const {
    return loaded() ? reinterpret_cast<void*>(GetProcAddress(module_of(handle_), name)) : nullptr;
}

void SharedLibrary::unload() {
    if (loaded()) FreeLibrary(module_of(handle_));
    handle_ = nullptr;
}

}  // namespace gpuminer
