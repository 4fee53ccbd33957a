// Shared libraries that are loaded while the program runs: drivers and their loaders.
#pragma once

#include <string>

namespace gpuminer {

/// One of them. It stays loaded when the object ends, as a driver's threads and exit handlers outlive the last call.
class SharedLibrary {
public:
    /// When the library's own references are resolved: `kWhenCalled` takes a library that lacks some.
    enum class Resolve { kAtOnce, kWhenCalled };

    /// `name`: as the system's linker takes it, a file's name or a path.
    explicit SharedLibrary(const char* name, Resolve resolve = Resolve::kAtOnce);
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;

    [[nodiscard]] bool loaded() const { return handle_ != nullptr; }
    /// The linker's reason where it is not loaded.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    /// A pointer to a function; null where the library lacks it, or is not loaded.
    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(symbol(name));
    }
    /// No function of it may run, or be called, any more.
    void unload();

private:
    [[nodiscard]] void* symbol(const char* name) const;

    void* handle_;
    std::string failure_;
};

}  // namespace gpuminer
