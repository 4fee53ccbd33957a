#include <dlfcn.h>

#include "host/system/shared_library.hpp"

namespace gpuminer {

SharedLibrary::SharedLibrary(const char* name, Resolve resolve)
    : handle_(::dlopen(name, (resolve == Resolve::kAtOnce ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL)) {
    if (handle_ == nullptr) failure_ = ::dlerror();
}

void* SharedLibrary::symbol(const char* name) const { return loaded() ? ::dlsym(handle_, name) : nullptr; }

void SharedLibrary::unload() {
    if (loaded()) ::dlclose(handle_);
    handle_ = nullptr;
}

}  // namespace gpuminer
