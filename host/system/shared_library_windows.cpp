#include <windows.h>

#include <system_error>

#include "host/system/shared_library.hpp"

namespace gpuminer {
namespace {

HMODULE module_of(void* handle) { return static_cast<HMODULE>(handle); }

}  // namespace

/// Of the system's folder alone: a library of that name beside the program, or where it was started, may be anybody's.
SharedLibrary::SharedLibrary(const char* name, Resolve /*resolve*/)
    : handle_(LoadLibraryExA(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {
    if (handle_ == nullptr) failure_ = std::system_category().message(static_cast<int>(GetLastError()));
}

void* SharedLibrary::symbol(const char* name) const {
    return loaded() ? reinterpret_cast<void*>(GetProcAddress(module_of(handle_), name)) : nullptr;
}

void SharedLibrary::unload() {
    if (loaded()) FreeLibrary(module_of(handle_));
    handle_ = nullptr;
}

}  // namespace gpuminer
